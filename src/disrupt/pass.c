// The methods, in their order.
#include "disrupt/pass.h"

#include "disrupt/drift_method.h"
#include "disrupt/emptiness.h"
#include "disrupt/expiration.h"
#include "disrupt/fleet.h"
#include "disrupt/multi_node.h"
#include "disrupt/outlook.h"
#include "disrupt/repair/repair.h"
#include "disrupt/single_node.h"
#include "disrupt/static/static_drift.h"
#include "disrupt/worth/rest.h"

static void classic_find(Round *round) {
    CandidateList candidates = round_candidates(round, METHOD_CONSOLIDATION);

    round->pass->has_plan = true; // there is none, ever
    candidates_sort_by_savings(&candidates);
    if (!multi_node_find(round, &candidates))
        (void)single_node_find(round, &candidates);
}

static void consolidation_find(Round *round) {
    (round->options->consolidation == CONSOLIDATION_CLASSIC ? classic_find : fleet_find)(round);
}

static void (*const finders[DISRUPT_METHOD_COUNT])(Round *round) = {
    [METHOD_EXPIRATION] = expiration_find, [METHOD_EMPTINESS] = emptiness_find,
    [METHOD_REPAIR] = repair_find,         [METHOD_STATIC_DRIFT] = static_drift_find,
    [METHOD_DRIFT] = drift_find,           [METHOD_CONSOLIDATION] = consolidation_find,
};

static void report_allowances(Round *round) {
    for (vec_each(const PoolBudgets, of_pool, &round->budgets)) {
        PoolAllowance *allowance = vec_add(round->arena, &round->pass->allowances);

        allowance->pool = of_pool->pool->meta.name;
        allowance->consuming = of_pool->nodes.deleting + of_pool->nodes.not_ready;
        memcpy(allowance->allowed, of_pool->allowed, sizeof allowance->allowed);
    }
}

static void report_costs(Round *round) {
    const PlanPoolVec *pools = &round->facts->pools;
    PoolCostVec *costs = &round->pass->costs;

    for (vec_each(const PlanPool, pool, pools))
        vec_push(round->arena, costs, (PoolCost){.pool = pool->pool->meta.name});
    for (vec_each(const DisruptionCandidate, candidate, round_all(round, DISRUPTION_GRACEFUL))) {
        PoolCost *cost = candidate->pool ? &costs->items[candidate->pool - pools->items] : NULL;

        if (!cost)
            continue;
        cost->price_per_hour += candidate->price_per_hour;
        cost->unpriced += candidate->price_per_hour <= 0;
    }
}

static bool waits_for_rest(Round *round) {
    const DisruptOptions *options = round->options;

    return options->may_wait && options->consolidation == CONSOLIDATION_FLEET &&
           options->methods >> METHOD_CONSOLIDATION & 1 && rest_look(round);
}

// What is expected of nodes that consolidation did not look at is what was said of them before.
static void conclude(Round *round, DisruptPass *pass) {
    bool looked = (round->options->methods >> METHOD_CONSOLIDATION & 1) && !pass->waits_for_rest;

    if (looked)
        outlook_find(round);
    pass->has_plan = pass->has_plan && looked;
    pass->consolidated = looked && !round->found_wasteful && !round->is_held_back && !round_is_cancelled(round);
}

void disrupt_pass(Arena *arena, const DisruptFacts *facts, const DisruptOptions *options, DisruptPass *ret_pass) {
    Round round;

    round_open(&round, arena, facts, options, ret_pass);
    report_allowances(&round);
    ret_pass->demand = demand_now(arena, facts, &round.node_pods);
    ret_pass->waits_for_rest = waits_for_rest(&round);
    for (DisruptMethod method = 0; method < DISRUPT_METHOD_COUNT; method++) {
        if (method == METHOD_EMPTINESS && options->methods >> METHOD_DRIFT & 1)
            drift_find_old(&round);
        if (finders[method] && options->methods >> method & 1)
            finders[method](&round);
    }
    conclude(&round, ret_pass);
    report_costs(&round);
    round_close(&round);
}
