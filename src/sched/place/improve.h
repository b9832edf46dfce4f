// Local search: improves a complete solution by changes that are kept only if the price falls or more pods are placed.
#pragma once

#include "sched/solver.h"

// Improves the solver's claims until the steps of the effort (unlimited if `endless`) or the solver's budget are used
// up. Limits are settled at the end, which may cost more than was saved: who has the former solution compares. O(steps
// × cost of placing a few pods).
void solver_improve(Solver *solver, Effort effort, bool endless);
