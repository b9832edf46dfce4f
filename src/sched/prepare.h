// The first stage of a solve: the input as numbers and bits.
#pragma once

#include "sched/solver.h"

// Reads the input into a solver: universe, classes, pools, groups, bins of existing nodes with what is bound to them.
// The solver's budget begins here. False: it is over, and the solver is good for nothing but to be thrown away.
bool solver_init(Solver *solver, Arena *arena, const PlanInput *input);
