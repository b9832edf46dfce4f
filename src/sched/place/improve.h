// Making a finished solution cheaper, step by step; each step is a change that is kept only when the price falls.
#pragma once

#include "sched/solver.h"

// Improves the solver's claims until its effort's steps are used up, or `search` says that time is. Never worse.
// O(steps × cost of placing a handful of pods).
void solver_improve(Solver *solver, const PlanSearch *search);
