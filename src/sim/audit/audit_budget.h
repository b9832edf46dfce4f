// Budgets of NodePools, computed a second time: from the sentences of lifecycle.md 4.4, minute by minute.
#pragma once

#include "sim/audit/audit_parts.h"

// How many of `total` nodes the pool's budgets let be disrupted for the reason at that time; UINT32_MAX: no limit.
// O(budgets × minutes of their durations).
uint32_t audit_budget_allows(const NodePool *pool, DisruptionReason reason, uint32_t total, int64_t at_ns);

// Checks that a NodeClaim which is disrupted from now on, like its pool's other ones, is within the budgets.
void audit_check_budget(Audit *audit, const NodeClaim *claim, DisruptionReason reason);
