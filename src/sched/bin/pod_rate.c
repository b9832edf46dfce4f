// Rates from the launch orders of empty claims.
#include "sched/bin/pod_rate.h"

#include "sched/bin/claim.h"
#include "sched/bin/claim_price.h"

#include <math.h>

// The number of pods of the class that fit on an instance type's row, at most all pending pods.
static int64_t row_count(const Solver *solver, const Pool *pool, uint32_t row, const PodClass *class) {
    const int64_t *free = pool->room->free + (size_t)row * pool->room->dims;
    int64_t count = solver->pod_count;

    for (uint32_t dim = 0; dim < solver->classes.dimensions.count; dim++) {
        if (class->requests[dim] > 0 && free[dim] / class->requests[dim] < count)
            count = free[dim] / class->requests[dim];
    }
    return count;
}

// The rate on claims in the state; INFINITY: no type fits.
static double state_rate(Solver *solver, const Pool *pool, uint32_t state, const PodClass *class) {
    const LaunchOrder *launch_order = claim_launch_order(solver, pool, state);
    double rate = INFINITY;

    for (uint32_t step = 0; step < launch_order->step_count; step++) {
        const LaunchOption *launch = launch_at_step(launch_order, step);
        int64_t count = row_count(solver, pool, launch->row, class);

        if (count > 0)
            rate = fmin(rate, launch->price / (double)count);
    }
    return rate;
}

static double pool_rate(Solver *solver, const Pool *pool, const PodClass *class, const Variant *variant) {
    double rate = INFINITY;

    if (!bitset_has(solver->tolerated_pools + (size_t)variant->tolerations * solver->pool_words, pool->number))
        return rate;
    for (uint32_t site = 0; site < class_site_count(class); site++) {
        uint32_t state = class_site_state(&solver->states, pool->open_state, class, variant, site);

        if (state != LABEL_STATE_NONE)
            rate = fmin(rate, state_rate(solver, pool, state, class));
    }
    return rate;
}

// The rate in the heaviest pools that can open a claim for the class, over all required node affinity terms.
static double class_rate(Solver *solver, const PodClass *class) {
    double rate = INFINITY;
    int32_t weight = INT32_MIN;

    for (vec_each(const Pool, pool, &solver->pools)) {
        if (rate < INFINITY && pool->pool->weight < weight)
            break;
        weight = pool->pool->weight;
        for (uint32_t variant = 0; variant < class->relaxations; variant++) {
            if (!class->variants.items[variant].kept)
                rate = fmin(rate, pool_rate(solver, pool, class, &class->variants.items[variant]));
        }
    }
    return rate < INFINITY ? rate : 0;
}

void solver_find_rates(Solver *solver) {
    enum { RATE_STEPS = BUDGET_STEPS_PER_US };

    for (vec_each(PodClass, class, &solver->classes.classes)) {
        if (!class->preferred.count)
            continue;
        if (!budget_spend(&solver->budget, RATE_STEPS * (uint64_t)(1 + solver->pools.count)))
            return;
        class->rate = class_rate(solver, class);
    }
}

double variant_forgone(const PodClass *class, uint32_t variant) {
    uint32_t left_out = preferred_rules_all(&class->preferred) & ~class->variants.items[variant].kept;

    return left_out ? class->rate * preferred_rules_worth(&class->preferred, left_out) : 0;
}

double bin_forgone(const Solver *solver, const Bin *bin) {
    double forgone = 0;

    if (!plan_weighs(solver->input))
        return 0;
    for (vec_each(const BinPods, pods, &bin->pods))
        forgone += variant_forgone(&solver->classes.classes.items[pods->class], pods->variant) * pods->count;
    return forgone;
}
