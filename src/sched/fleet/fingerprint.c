// Hashes the question.
#include "sched/fleet/fingerprint.h"

#include "model/pod_predicates.h"

static uint64_t bits_of(double number) {
    uint64_t bits;

    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static uint64_t add_pods(const FleetInput *input, uint64_t print) {
    for (vec_each(const Pod, pod, &input->plan.cluster->pods)) {
        print = hash_combine(print, (uint64_t)pod->ns << 32 | pod->name);
        print = hash_combine(print, (uint64_t)pod->node_name << 1 | pod_is_terminal(pod));
    }
    return hash_combine(print, input->plan.pending.count);
}

static uint64_t add_nodes(const FleetInput *input, uint64_t print) {
    for (vec_each(const NodeView, view, &input->plan.nodes)) {
        print = hash_combine(print, (uint64_t)view->name << 32 | view->pool);
        print = hash_combine(print, view->initialized | view->deleting << 1 | view->keeps_out_moved << 2);
        print = hash_combine(print, (uint64_t)view->taints.count << 32 | view->labels.count);
    }
    return print;
}

static uint64_t add_sources(const FleetInput *input, uint64_t print) {
    for (vec_each(const FleetSource, source, &input->sources)) {
        print = hash_combine(print, source->node);
        print = hash_combine(print, bits_of(source->price_per_hour));
        print = hash_combine(print, bits_of(source->disruption));
    }
    for (vec_each(const uint32_t, left, &input->budgets))
        print = hash_combine(print, *left);
    return print;
}

static uint64_t add_pools(const FleetInput *input, uint64_t print) {
    for (vec_each(const PlanPool, pool, &input->plan.pools)) {
        print = hash_combine(print, (uint64_t)pool->pool->meta.name << 32 | (uint32_t)pool->pool->meta.generation);
        for (vec_each(const InstanceType, type, pool->types)) {
            for (vec_each(const Offering, offering, &type->offerings))
                print = hash_combine(print, bits_of(offering->price_per_hour) ^ (uint64_t)offering->available);
        }
    }
    return print;
}

uint64_t fleet_fingerprint(const FleetInput *input) {
    uint64_t print = add_pools(input, add_sources(input, add_nodes(input, add_pods(input, 1))));

    return print ? print : 1;
}
