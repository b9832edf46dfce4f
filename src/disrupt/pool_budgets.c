// Counts of nodes beside the budgets of their pools.
#include "disrupt/pool_budgets.h"

static PoolBudgets *find(const PoolBudgetsVec *budgets, Symbol pool) {
    for (vec_each(PoolBudgets, of_pool, budgets)) {
        if (of_pool->pool->meta.name == pool)
            return of_pool;
    }
    return NULL;
}

static bool instance_is_terminating(const Symbols *symbols, const NodeClaim *claim) {
    return condition_is_true(&claim->conditions, symbols, SLICE("InstanceTerminating"));
}

static void count(const DisruptFacts *facts, uint32_t at, BudgetNodes *nodes) {
    const Symbols *symbols = &facts->cluster->symbols;
    const NodeView *view = &facts->nodes.items[at];

    bool reboots = view->claim && claim_is_rebooting(view->claim, symbols);

    if (!view->claim || !view->node || !(view->initialized || reboots) || instance_is_terminating(symbols, view->claim))
        return;
    nodes->total++;
    if (view->deleting || reboots || (facts->node_bits[at] & NODE_IN_COMMAND))
        nodes->deleting++;
    else if (!node_is_ready(view->node, symbols))
        nodes->not_ready++;
}

PoolBudgetsVec pool_budgets_make(Arena *arena, const DisruptFacts *facts) {
    PoolBudgetsVec budgets = {0};

    for (vec_each(const PlanPool, pool, &facts->pools))
        vec_push(arena, &budgets, (PoolBudgets){.pool = pool->pool});
    for (uint32_t i = 0; i < facts->nodes.count; i++) {
        PoolBudgets *of_pool = find(&budgets, facts->nodes.items[i].pool);

        if (of_pool)
            count(facts, i, &of_pool->nodes);
    }
    for (vec_each(PoolBudgets, of_pool, &budgets)) {
        for (DisruptionReason reason = 0; reason < DISRUPTION_REASON_COUNT; reason++)
            of_pool->allowed[reason] = budget_allowed(of_pool->pool, reason, of_pool->nodes.total, facts->wall_ns);
    }
    return budgets;
}

uint32_t pool_budgets_left(const PoolBudgetsVec *budgets, Symbol pool, DisruptionReason reason) {
    const PoolBudgets *of_pool = find(budgets, pool);

    return of_pool ? budget_rest(of_pool->allowed[reason], reason, &of_pool->nodes) : 0;
}

void pool_budgets_take(PoolBudgetsVec *budgets, Symbol pool) {
    PoolBudgets *of_pool = find(budgets, pool);

    if (of_pool)
        of_pool->nodes.deleting++;
}
