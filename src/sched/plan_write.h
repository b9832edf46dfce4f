// The last stage of a solve: makes a plan of the bins.
#pragma once

#include "sched/claim_spec.h"

// Fills the plan from the bins, with reasons for the pods that are left over.
void solver_write_plan(Solver *solver, Plan *ret_plan);

// Writes a claim without its name and its pods. `specs`: those of the claims written so far.
void solver_write_claim(Solver *solver, ClaimSpecs *specs, const Bin *bin, PlannedClaim *ret_claim);

// A plan without nodes, for a solve without solution: all pods of the input are unplaced, with reasons.
void plan_write_nothing(Arena *arena, const PlanInput *input, Plan *ret_plan);
