// Counts outweighed claims by trying to open a claim of each heavier pool for each class of pods.
#include "sched/place/outweighed.h"

#include "sched/bin/claim.h"

enum { QUESTION_STEPS = BUDGET_STEPS_PER_US }; // steps charged to the budget: for one pool and class

// Whether a heavier pool could open a claim for a pod of the class. Pools are sorted by weight, heaviest first.
static bool heavier_could_open(Solver *solver, const Bin *claim, const BinPods *pods) {
    const PodClass *class = &solver->classes.classes.items[pods->class];
    const Variant *variant = class_variant(class, pods->variant);
    const uint64_t *tolerated = solver->tolerated_pools + (size_t)variant->tolerations * solver->pool_words;

    for (vec_each(Pool, pool, &solver->pools)) {
        if (pool->pool->weight <= claim->pool->pool->weight)
            return false;
        budget_spend(&solver->budget, QUESTION_STEPS);
        if (bitset_has(tolerated, pool->number) && claim_may_open(solver, pool, class, variant))
            return true;
    }
    return false;
}

static bool is_below_home(const int32_t *home_weight, const Bin *claim) {
    for (vec_each(const BinPods, pods, &claim->pods)) {
        if (home_weight[pods->class] <= claim->pool->pool->weight)
            return false;
    }
    return !claim->gone && claim->pods.count;
}

uint32_t claims_below_home(const Solver *solver, const int32_t *home_weight) {
    uint32_t count = 0;

    for (uint32_t i = solver->node_count; i < solver->bins.count && home_weight; i++)
        count += is_below_home(home_weight, &solver->bins.items[i]);
    return count;
}

// Counts the pods of a claim `times` once more.
static void count_pods(Solver *solver, const Bin *claim, int32_t times) {
    for (vec_each(const BinPods, pods, &claim->pods)) {
        const PodClass *class = &solver->classes.classes.items[pods->class];
        const U32Vec *lists[] = {&class->counted, &class->inverse};

        for (int i = 0; i < 2; i++) {
            for (vec_each(const uint32_t, group, lists[i]))
                group_record(solver, *group, claim->number, claim->state, bin_taints(claim),
                             times * (int32_t)pods->count);
        }
    }
}

// The pods are not counted meanwhile: where they are must not be what keeps them from a heavier pool.
static bool is_outweighed(const Outweighed *outweighed, const Bin *claim) {
    bool all = is_below_home(outweighed->home_weight, claim);

    if (!all)
        return false;
    count_pods(outweighed->solver, claim, -1);
    for (uint32_t i = 0; i < claim->pods.count && all; i++)
        all = heavier_could_open(outweighed->solver, claim, &claim->pods.items[i]);
    count_pods(outweighed->solver, claim, 1);
    return all;
}

static uint32_t count_outweighed(const Outweighed *outweighed) {
    const Solver *solver = outweighed->solver;
    uint32_t count = 0;

    for (uint32_t i = solver->node_count; i < solver->bins.count && outweighed->home_weight; i++)
        count += is_outweighed(outweighed, &solver->bins.items[i]);
    return count;
}

void outweighed_init(Outweighed *outweighed, Solver *solver, const int32_t *home_weight) {
    *outweighed = (Outweighed){.solver = solver, .home_weight = home_weight};
    outweighed->count = count_outweighed(outweighed);
}

bool outweighed_holds(Outweighed *outweighed) {
    uint32_t count = count_outweighed(outweighed);

    if (count > outweighed->count)
        return false;
    outweighed->count = count;
    return true;
}
