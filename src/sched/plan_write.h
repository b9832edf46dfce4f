// The last stage of a solve: makes a plan of the bins.
#pragma once

#include "sched/solver.h"

// Fills the plan from the bins, with reasons for the pods that are left over.
void solver_write_plan(Solver *solver, Plan *ret_plan);

// A plan without nodes, for a solve without solution: all pods of the input are unplaced, with reasons.
void plan_write_nothing(Arena *arena, const PlanInput *input, Plan *ret_plan);
