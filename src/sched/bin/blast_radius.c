// Shares of workloads and their cost.
#include "sched/bin/blast_radius.h"

static uint32_t workload_number(Solver *solver, IndexMap *owners, const PodClass *class, uint32_t *count) {
    uint64_t workload = pod_workload(class->pod);
    uint32_t number = workload ? u64_map_get(owners, workload) : INDEX_NONE;

    if (number != INDEX_NONE)
        return number;
    if (workload)
        u64_map_put(solver->arena, owners, workload, *count);
    return (*count)++;
}

void blast_radius_init(Solver *solver) {
    uint32_t classes = solver->classes.classes.count, count = 0;
    IndexMap owners = {0};
    bool priced = false;

    for (vec_each(const Pool, pool, &solver->pools))
        priced |= pool->node_loss_cost > 0;
    if (!priced)
        return;
    solver->workloads = arena_new(solver->arena, WorkloadShares);
    solver->workloads->of_class = arena_array(solver->arena, uint32_t, classes);
    solver->workloads->pods = arena_array(solver->arena, uint32_t, classes);
    for (uint32_t i = 0; i < classes; i++) {
        const PodClass *class = &solver->classes.classes.items[i];

        solver->workloads->of_class[i] = workload_number(solver, &owners, class, &count);
        solver->workloads->pods[solver->workloads->of_class[i]] += class->count;
    }
}

// The number of pods of the workload in the bin's entries from `from` on.
static uint32_t pods_of(const Solver *solver, const Bin *bin, uint32_t workload, uint32_t from) {
    uint32_t count = 0;

    for (uint32_t i = from; i < bin->pods.count; i++) {
        if (solver->workloads->of_class[bin->pods.items[i].class] == workload)
            count += bin->pods.items[i].count;
    }
    return count;
}

static bool seen_before(const Solver *solver, const Bin *bin, uint32_t entry) {
    uint32_t workload = solver->workloads->of_class[bin->pods.items[entry].class];

    for (uint32_t i = 0; i < entry; i++) {
        if (solver->workloads->of_class[bin->pods.items[i].class] == workload)
            return true;
    }
    return false;
}

double blast_radius_cost(const Solver *solver, const Bin *bin) {
    double squares = 0;

    if (!solver->workloads || !bin->pool || bin->pool->node_loss_cost <= 0)
        return 0;
    for (uint32_t i = 0; i < bin->pods.count; i++) {
        uint32_t workload = solver->workloads->of_class[bin->pods.items[i].class];
        double share;

        if (seen_before(solver, bin, i))
            continue;
        share = (double)pods_of(solver, bin, workload, i) / solver->workloads->pods[workload];
        squares += share * share;
    }
    return squares * bin->pool->node_loss_cost;
}

double blast_radius_per_pod(const Solver *solver, const Pool *pool, uint32_t class, uint32_t count) {
    double pods;

    if (!solver->workloads || pool->node_loss_cost <= 0)
        return 0;
    pods = solver->workloads->pods[solver->workloads->of_class[class]];
    return pool->node_loss_cost * count / (pods * pods);
}

// A further pod where n of N are adds C·((n+1)² − n²)/N², which is at most the margin while n ≤ (margin·N²/C − 1)/2.
uint32_t blast_radius_allowance(const Solver *solver, const Bin *bin, uint32_t class, double margin, uint32_t limit) {
    uint32_t workload;
    double pods, most;

    if (!solver->workloads || !bin->pool || bin->pool->node_loss_cost <= 0)
        return limit;
    workload = solver->workloads->of_class[class];
    pods = solver->workloads->pods[workload];
    most = (margin * pods * pods / bin->pool->node_loss_cost - 1) / 2 + 1 - pods_of(solver, bin, workload, 0);
    return most < 1 ? 0 : most < (double)limit ? (uint32_t)most : limit;
}
