// The strategy of patterns (STRATEGY_PATTERNS): existing nodes are filled, then claims are opened by the patterns of
// the LpPlan. Every placement goes through bin_try, as with all strategies. Pods that a rule keeps out of their
// pattern, and pods without a pattern, are left for the strategy that places the rest.
#pragma once

#include "sched/packing/lp_plan.h"
#include "sched/solver.h"

// Places pods of a solver that has placed none. Only first variants and their alternatives are used, so all preferences
// are kept. O(classes × nodes + nodes of the plan × contents) verdicts.
void solver_place_patterns(Solver *solver, const LpPlan *lp_plan);
