// Placing all pods by the solver's strategy.
#pragma once

#include "sched/solver.h"

// Places all pods that can be placed, until the budget is used up. Limits hold afterwards in any case.
void solver_place(Solver *solver);

// Makes solver_place try again the variants that found no place; to be called when bins have changed in another way
// than by placing.
void solver_forget_failures(Solver *solver);
