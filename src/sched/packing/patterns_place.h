// The strategy of patterns (STRATEGY_PATTERNS): nodes that exist are filled, then claims are opened after the patterns
// of the lp_plan. Every pod goes through the same questions as with any other strategy; pods that a rule keeps from
// where the pattern wants them are left for whoever places the rest, and so are those that no pattern wants.
#pragma once

#include "sched/packing/lp_plan.h"
#include "sched/solver.h"

// Places some of the pods of a solver that has placed none yet. Pods go under their first variant only: all their
// preferences are kept. O(classes × nodes + nodes of the plan × contents) verdicts.
void solver_place_patterns(Solver *solver, const LpPlan *lp_plan);
