// Preferred rules that were weighed, for the plan.
#pragma once

#include "sched/solver.h"

// Fills Plan.weighed. O(bins + pods + rules).
void write_preferences(Solver *solver, Plan *plan);
