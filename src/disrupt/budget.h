// How many nodes of a NodePool may be disrupted at the same time. Reference lifecycle.md 4.4, changes.md 1.2.
#pragma once

#include "model/objects.h"

// No budget limits the reason.
#define BUDGET_UNLIMITED UINT32_MAX

// The nodes of a pool, as budgets count them: those that are managed, initialized, and whose instance is not yet being
// terminated.
typedef struct {
    uint32_t total;
    uint32_t deleting;  // of them: marked for deletion, or deleting
    uint32_t not_ready; // of them, beside those that are deleting
} BudgetNodes;

// What the pool's budgets allow for a reason at a time, whatever is under way: the least of those that are active and
// name the reason. A percentage rounds up. 0 when a budget's schedule cannot be read, so that a mistake protects nodes
// instead of exposing them; a schedule that never comes ("0 0 30 2 *") counts as always active, as in Karpenter.
// O(budgets × days until the schedule's next time).
uint32_t budget_allowed(const NodePool *pool, DisruptionReason reason, uint32_t total, int64_t wall_ns);

// What is left of `allowed` for new commands: nodes that are deleting take of it, and those that are not ready, but not
// from the repair of unhealthy nodes.
uint32_t budget_rest(uint32_t allowed, DisruptionReason reason, const BudgetNodes *nodes);
// Both in one.
uint32_t budget_left(const NodePool *pool, DisruptionReason reason, const BudgetNodes *nodes, int64_t wall_ns);

// The first budget that cannot be read, and why; empty: all can.
Slice budget_fault(const NodePool *pool);
