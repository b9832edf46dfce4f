// Making a finished solution better, step by step; each step is a change that is kept only when the price falls or more
// pods have a place.
#pragma once

#include "sched/solver.h"

// Improves the solver's claims until the effort's steps are used up (`endless`: only when nothing more can be found) or
// the solver's budget is over. Never worse. O(steps × cost of placing a handful of pods).
void solver_improve(Solver *solver, Effort effort, bool endless);
