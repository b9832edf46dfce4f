// What the budgets of all NodePools leave at one moment, and while commands are being found. Reference
// lifecycle.md 4.4.
#pragma once

#include "disrupt/budget.h"
#include "disrupt/facts.h"

typedef struct {
    const NodePool *pool;
    BudgetNodes nodes;
    uint32_t allowed[DISRUPTION_REASON_COUNT]; // whatever is under way; BUDGET_UNLIMITED: no limit
} PoolBudgets;
typedef Vec(PoolBudgets) PoolBudgetsVec;

// One for each of facts->pools, in that order. A node that a command is under way for counts as deleting. O(nodes ×
// pools + budgets).
PoolBudgetsVec pool_budgets_make(Arena *arena, const DisruptFacts *facts);

// How many nodes of the pool may be disrupted yet; 0 for a pool that is not known. O(pools).
uint32_t pool_budgets_left(const PoolBudgetsVec *budgets, Symbol pool, DisruptionReason reason);

// A node of the pool will go: it counts for every reason. O(pools).
void pool_budgets_take(PoolBudgetsVec *budgets, Symbol pool);
