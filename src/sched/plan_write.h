// The last stage of a solve: bins as a plan.
#pragma once

#include "sched/solver.h"

// Fills the plan from the bins, and says why of what was left over.
void solver_write_plan(Solver *solver, Plan *ret_plan);

// A plan without any node: every pod of the input is without a place, and why. For a solve that came to nothing.
void plan_write_nothing(Arena *arena, const PlanInput *input, Plan *ret_plan);
