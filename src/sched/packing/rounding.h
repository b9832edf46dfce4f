// From fractions of patterns to whole nodes.
//
// Whole uses of the program's patterns are taken, the program is solved again for what is left, and so on; where no
// pattern is used once, the largest fraction becomes one. On the way, what is left is also filled greedily; the
// cheapest plan that came out of all this is kept.
#pragma once

#include "sched/packing/columns.h"

typedef struct {
    uint64_t work;    // elementary operations: the dive ends there
    uint64_t improve; // of it at each step, for patterns that suit what is left; 0: none
    uint32_t steps;   // of branching per question
} RoundingEffort;

// Lowers `plan` to what is found, if that is cheaper and leaves no more items over. The columns were solved for all
// items before.
void columns_round(Columns *columns, const RoundingEffort *effort, PatternPlan *plan);

// Whether a plan is better: fewer items left over, then the lower price.
bool pattern_plan_is_better(const PatternPlan *plan, const PatternPlan *than);
