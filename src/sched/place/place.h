// Placing all pods by the solver's strategy.
#pragma once

#include "sched/solver.h"

// Places all pods that can be placed, until the budget is used up. Limits hold afterwards in any case. Where pods are
// left over because of a spread, what was placed is copied: to be called on a solution that was started
// (solution_start), not on the initial one.
void solver_place(Solver *solver);
