// The last stage of a solve: bins as a plan.
#pragma once

#include "sched/solver.h"

// Fills the plan from the bins, and says why of what was left over.
void solver_write_plan(Solver *solver, Plan *ret_plan);
