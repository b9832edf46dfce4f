// Solving worlds step by step: a prepared solver, single strategies and efforts, and plans as texts.
#pragma once

#include "sched/solution.h"
#include "sched/support/world_plan.h"

// A solver that is ready to place the pods of a world.
typedef struct {
    Arena arena;
    Solver solver;
    Solution initial; // nothing placed yet
} Trial;

// Reads the world (which plans it once) and prepares a solver.
Trial *trial_begin(World *world);
void trial_end(Trial *trial);
// Places all that can be placed, from the prepared state on.
void trial_place(Trial *trial, Strategy strategy);
// Removes all pods from the bins, for placing by hand.
void trial_clear(Trial *trial);
// Opens a claim of the pool for a pod with that prefix of its name, or puts one on an existing bin. Returns the bin.
uint32_t trial_open(Trial *trial, const char *pool, const char *pod);
uint32_t trial_put(Trial *trial, uint32_t bin, const char *pod);
// The class of the pods with that prefix of their names, and the first bin that has one (INDEX_NONE: none).
uint32_t trial_class(const Trial *trial, const char *pod);
uint32_t trial_bin_of(const Trial *trial, const char *pod);

// The price of the present claims, and the number of placed pods.
double trial_price(Trial *trial);
uint32_t trial_placed(Trial *trial);
// The plan of the present solution. Lives as long as the trial.
Plan trial_plan(Trial *trial);

// Plans the input of the last world_plan with other options. The plan lives as long as the world.
Plan world_search(World *world, PlanSearch search);
// With one strategy and nothing else.
Plan world_strategy(World *world, Strategy strategy);
// With the effort alone.
Plan world_effort(World *world, Effort effort);

// All of a plan as text: equal texts are equal plans. Lives as long as the world.
const char *plan_text(World *world, const Plan *plan);
// The number of placed pods: on claims, or on claims and nodes.
uint32_t plan_pods_on_claims(const Plan *plan);
uint32_t plan_pods(const Plan *plan);
