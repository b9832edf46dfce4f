// Putting pods on a bin.
#pragma once

#include "sched/solver.h"

// Puts pods where bin_try said they may go, and charges the limits.
void solver_commit(Solver *solver, uint32_t bin, uint32_t class, uint32_t variant, const Placement *placement);
