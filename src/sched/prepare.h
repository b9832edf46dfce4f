// The first stage of a solve: converts the input to indexes and bitsets.
#pragma once

#include "sched/solver.h"

// Makes the solver's universe, classes, pools, topology groups, and bins of existing nodes with their bound pods. The
// solver's budget begins here. False: the budget is used up, and the solver must not be used.
bool solver_init(Solver *solver, Arena *arena, const PlanInput *input);
