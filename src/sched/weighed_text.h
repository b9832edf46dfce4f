// The price of preferred rules in words, for who reports them.
#pragma once

#include "sched/plan.h"

// The price of the rule for a pod that keeps it, or leaves it out; NAN if it was measured for other pods only.
double weighed_cost(const WeighedRule *rule, bool kept);
// "34% dearer", "costs nothing", "no place keeps it"; empty: not measured.
Slice weighed_cost_text(Arena *arena, double percent);
