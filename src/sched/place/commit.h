// Placing pods on a bin.
#pragma once

#include "sched/solver.h"

// Adds pods to a bin as bin_try found possible (`placement`), charges the limits, records the pods in the open change,
// and updates the strategy's state.
void solver_commit(Solver *solver, uint32_t bin, uint32_t class, uint32_t variant, const Placement *placement);
