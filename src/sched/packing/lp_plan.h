// The lp_plan of a plan before any pod is placed: what the pods are worth, a floor under every plan, and which nodes
// with which contents a cheap plan has.
//
// Made once for a solver and shared by all attempts and strategies, for all of them have the same classes and kinds. It
// knows resources and a few rules; the solver's strategy of patterns (patterns_place.h) asks the rest.
#pragma once

#include "sched/packing/rounding.h"
#include "sched/plan.h"

typedef struct {
    Packing packing;
    Patterns patterns;
    FloorProof proof;
    PatternPlan plan; // no uses: none was made
    uint32_t pods;
} LpPlan;

// Distils the packing of a solver that is ready to place pods, and proves a first floor from resources alone.
// Everything lives in `arena`. O(packing_make + a linear program of kinds × dimensions): about 1 ms for 400 types and
// 3,400 classes.
void lp_plan_make(LpPlan *lp_plan, Arena *arena, Solver *solver);

// Makes the plan of patterns. EFFORT_FAST: greedily at the resources' prices; EFFORT_NORMAL: where that is not near the
// floor, with some rounds of column generation; EFFORT_BEST: with many. Packings with very many sizes get none.
void lp_plan_plan(LpPlan *lp_plan, Effort effort);

// Raises the floor by contents of nodes; after lp_plan_plan it starts from its patterns. EFFORT_NORMAL only
// does so where kinds run out; EFFORT_FAST does nothing.
void lp_plan_prove(LpPlan *lp_plan, Effort effort);

// The floor of plans that place what the solver has placed: none costs less, $ per hour.
double lp_plan_floor(const LpPlan *lp_plan, const Solver *solver);
