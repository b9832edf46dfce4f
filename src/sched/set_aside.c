// Weighs specs and marks pods.
#include "sched/set_aside.h"

static uint64_t weigh_expressions(const ExpressionVec *expressions) {
    uint64_t weight = 0;

    for (vec_each(const Expression, expression, expressions))
        weight += 1 + expression->values.count;
    return weight;
}

static uint64_t weigh_node_terms(const NodeTermVec *terms) {
    uint64_t weight = terms->count;

    for (uint32_t i = 0; i < terms->count; i++)
        weight += weigh_expressions(&terms->items[i].expressions);
    return weight;
}

// The weight of a spec: the number of its parts that are compared with nodes and other pods.
static uint64_t weigh(const PodSpec *spec) {
    return 1 + weigh_node_terms(&spec->required_node_terms) + weigh_node_terms(&spec->preferred_node_terms) +
           spec->node_selector.count + spec->spreads.count + spec->affinity.required.count +
           spec->affinity.preferred.count + spec->anti_affinity.required.count + spec->anti_affinity.preferred.count +
           spec->tolerations.count + spec->host_ports.count + spec->volumes.count;
}

static void own_pending(Arena *arena, PlanInput *input) {
    PendingPodVec *pending = &input->pending;

    if (!pending->count)
        return;
    pending->items = arena_copy(arena, pending->items, pending->count * sizeof *pending->items);
    pending->capacity = pending->count;
}

static void mark(PendingPod *pending) {
    if (!slice_is_empty(pending->ignored))
        return;
    pending->ignored = SLICE(SET_ASIDE_TEXT);
    pending->aside = true;
}

bool set_aside_heaviest(Arena *arena, PlanInput *input) {
    uint64_t most = 0;

    own_pending(arena, input);
    for (vec_each(const PendingPod, pending, &input->pending)) {
        uint64_t weight = slice_is_empty(pending->ignored) ? weigh(pending->pod->spec) : 0;

        most = weight > most ? weight : most;
    }
    for (vec_each(PendingPod, pending, &input->pending)) {
        if (weigh(pending->pod->spec) >= (most + 1) / 2)
            mark(pending);
    }
    return most > 0;
}

void set_aside_uids(Arena *arena, PlanInput *input, const SymbolVec *uids) {
    IndexMap set = {0};

    if (!uids->count)
        return;
    own_pending(arena, input);
    for (vec_each(const Symbol, uid, uids))
        u64_map_put(arena, &set, *uid, 1);
    for (vec_each(PendingPod, pending, &input->pending)) {
        if (u64_map_get(&set, pending->pod->uid) != INDEX_NONE)
            mark(pending);
    }
}
