// Rounding of a fractional solution to whole nodes by diving.
//
// Whole uses of the program's patterns are taken, the program is solved again for the items that are left, and so on;
// when no pattern has a whole use, the largest fraction is rounded up. At several points the rest is also filled
// greedily, and the cheapest plan found is kept.
#pragma once

#include "sched/packing/columns.h"

typedef struct {
    uint64_t work;    // elementary operations, after which the dive ends
    uint64_t improve; // part of it for column generation at each step; 0: none
    uint32_t steps;   // steps of branching per knapsack
} RoundingEffort;

// Replaces `plan` by the plan that is found, if that is better (pattern_plan_is_better). The columns must have been
// solved for all items.
void columns_round(Columns *columns, const RoundingEffort *effort, PatternPlan *plan);

// Whether a plan has fewer items left over than another, or as many and a lower price.
bool pattern_plan_is_better(const PatternPlan *plan, const PatternPlan *than);
