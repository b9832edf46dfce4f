// Diving.
#include "sched/packing/rounding.h"

#include <math.h>

// Bonuses for large items in greedy completions: none, which follows the duals, and one that leaves small items for the
// end.
static const double bonuses[] = {0, 2};

typedef struct {
    Columns *columns;
    const RoundingEffort *effort;
    PatternPlan dive; // the whole nodes so far
    PatternPlan *best;
    uint64_t left_then; // items that were left at the last completion
} Rounding;

bool pattern_plan_is_better(const PatternPlan *plan, const PatternPlan *than) {
    if (plan->items_left != than->items_left)
        return plan->items_left < than->items_left;
    return plan->price < than->price;
}

// Takes the whole uses of all patterns, and returns the number of nodes.
static uint64_t take_whole(Rounding *rounding) {
    const Master *master = &rounding->columns->master;
    uint64_t taken = 0;

    for (uint32_t i = 0; i < master->columns; i++) {
        uint32_t times = master->times[i] < 1e9 ? (uint32_t)(master->times[i] + 1e-6) : 0;

        times = times ? pattern_plan_fit(rounding->columns->patterns, &rounding->dive, i, times) : 0;
        if (!times)
            continue;
        pattern_plan_use(rounding->columns->patterns, &rounding->dive, i, times);
        taken += times;
    }
    return taken;
}

// Takes one node of the pattern with the largest fraction.
static bool take_largest_fraction(Rounding *rounding) {
    const Master *master = &rounding->columns->master;
    uint32_t best = INDEX_NONE;

    for (uint32_t i = 0; i < master->columns; i++) {
        if (master->times[i] > (best == INDEX_NONE ? 1e-6 : master->times[best]) &&
            pattern_plan_fit(rounding->columns->patterns, &rounding->dive, i, 1))
            best = i;
    }
    if (best == INDEX_NONE)
        return false;
    pattern_plan_use(rounding->columns->patterns, &rounding->dive, best, 1);
    return true;
}

// Fills the rest greedily with each bonus.
static void complete(Rounding *rounding) {
    Patterns *patterns = rounding->columns->patterns;

    rounding->left_then = rounding->dive.items_left;
    for (size_t i = 0; i < sizeof bonuses / sizeof *bonuses; i++) {
        GreedyRule rule = {.worth = rounding->columns->master.worth,
                           .size_bonus = bonuses[i],
                           .steps = rounding->effort->steps,
                           .work = rounding->effort->work};
        PatternPlan plan;

        pattern_plan_copy(patterns, &rounding->dive, &plan);
        pattern_plan_fill(patterns, &plan, &rule);
        if (pattern_plan_is_better(&plan, rounding->best))
            *rounding->best = plan;
    }
}

// Solves for the items that are left. False: the result cannot be better than the best plan.
static bool solve_rest(Rounding *rounding) {
    Columns *columns = rounding->columns;
    ColumnEffort effort = {rounding->effort->improve, rounding->effort->steps, rounding->effort->steps};

    if (effort.work)
        columns_improve(columns, rounding->dive.left, &effort);
    else if (!columns_solve(columns, rounding->dive.left))
        return false;
    if (!packing_spend(columns->patterns->packing, 0)) // the program may have been given up without a solution
        return false;
    return rounding->best->items_left || rounding->dive.price + columns->master.value < rounding->best->price - 1e-9;
}

void columns_round(Columns *columns, const RoundingEffort *effort, PatternPlan *plan) {
    uint64_t end = columns_work(columns) + effort->work;
    Rounding rounding = {.columns = columns, .effort = effort, .best = plan};

    if (!columns_solve(columns, NULL))
        return;
    pattern_plan_start(columns->patterns, &rounding.dive);
    while (rounding.dive.items_left && (take_whole(&rounding) || take_largest_fraction(&rounding))) {
        if (!rounding.left_then || rounding.dive.items_left < rounding.left_then - rounding.left_then / 8)
            complete(&rounding);
        if (columns_work(columns) >= end || !packing_spend(columns->patterns->packing, 0) || !solve_rest(&rounding))
            return;
    }
    complete(&rounding);
}
