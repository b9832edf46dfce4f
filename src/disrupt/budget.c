// Budgets of NodePools.
#include "disrupt/budget.h"

#include "base/time.h"

// Active from each time of the schedule on for the duration: the first time after the beginning of a span of that
// length that ends now has come.
static bool is_active(const PoolBudget *budget, int64_t wall_ns) {
    int64_t next_ns;

    if (!budget->scheduled)
        return true;
    next_ns = cron_next(&budget->schedule, ns_add(wall_ns, -budget->duration_ns));
    return next_ns <= wall_ns || next_ns == INT64_MAX;
}

static uint32_t allowed_by(const PoolBudget *budget, uint32_t total) {
    uint64_t nodes = budget->nodes;

    if (budget->percent)
        nodes = (nodes * total + 99) / 100;
    return nodes < BUDGET_UNLIMITED ? (uint32_t)nodes : BUDGET_UNLIMITED;
}

uint32_t budget_allowed(const NodePool *pool, DisruptionReason reason, uint32_t total, int64_t wall_ns) {
    uint32_t least = BUDGET_UNLIMITED;

    if (budget_fault(pool).len)
        return 0;
    for (vec_each(const PoolBudget, budget, &pool->disruption.budgets)) {
        uint32_t allowed = allowed_by(budget, total);

        if ((budget->reasons >> reason & 1) && allowed < least && is_active(budget, wall_ns))
            least = allowed;
    }
    return least;
}

uint32_t budget_rest(uint32_t allowed, DisruptionReason reason, const BudgetNodes *nodes) {
    uint32_t taken = nodes->deleting + (reason == DISRUPTION_UNHEALTHY ? 0 : nodes->not_ready);

    return allowed > taken ? allowed - taken : 0;
}

uint32_t budget_left(const NodePool *pool, DisruptionReason reason, const BudgetNodes *nodes, int64_t wall_ns) {
    return budget_rest(budget_allowed(pool, reason, nodes->total, wall_ns), reason, nodes);
}

Slice budget_fault(const NodePool *pool) {
    for (vec_each(const PoolBudget, budget, &pool->disruption.budgets)) {
        if (budget->fault.len)
            return budget->fault;
    }
    return (Slice){0};
}
