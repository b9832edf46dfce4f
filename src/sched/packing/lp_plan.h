// LpPlan: what linear programs say of a solve before any pod is placed: prices of items, a floor of all plans, and the
// nodes and contents of a cheap plan.
//
// Made once for a solver and shared by all attempts and strategies, which have the same classes and kinds. It has
// resources and a few rules only; the strategy of patterns (patterns_place.h) checks the rest.
#pragma once

#include "sched/packing/rounding.h"
#include "sched/plan.h"

typedef struct {
    Packing packing;
    Patterns patterns;
    FloorProof proof;
    PatternPlan plan; // without uses: no plan was made
    uint32_t pods;
} LpPlan;

// Makes the packing of a solver that is ready to place pods, and proves a first floor from resources alone. Everything
// lives in `arena`. `placed`: as for packing_make; the floor is proof.value then, 0 where no spread binds pods to
// domains. O(packing_make + a linear program of kinds × dimensions): about 1 ms for 400 types and 3,400 classes.
void lp_plan_make(LpPlan *lp_plan, Arena *arena, Solver *solver, const PackPlaced *placed);

// Makes the plan of patterns. EFFORT_FAST: greedily at the prices of resources; EFFORT_NORMAL: if that is not near the
// floor, with some rounds of column generation; EFFORT_BEST: with many. No plan is made for packings with very many
// sizes (Packing.most is NULL).
void lp_plan_plan(LpPlan *lp_plan, Effort effort);

// Raises the floor by searching contents of nodes, starting from the patterns of lp_plan_plan, if any. EFFORT_NORMAL
// does so only where kinds are in limited supply; EFFORT_FAST does nothing.
void lp_plan_prove(LpPlan *lp_plan, Effort effort);
// The same for few pods, whatever the effort: about 15 µs for each.
void lp_plan_prove_briefly(LpPlan *lp_plan);

// The floor of plans that place the pods that the solver has placed, $ per hour: none costs less.
double lp_plan_floor(const LpPlan *lp_plan, const Solver *solver);
