// The stage of a solve that places everything, by the solver's strategy.
#pragma once

#include "sched/solver.h"

// Places everything that can be placed, by the solver's strategy.
void solver_place(Solver *solver);

// Forgets where searches failed: bins have changed in another way than by placing.
void solver_forget_failures(Solver *solver);
