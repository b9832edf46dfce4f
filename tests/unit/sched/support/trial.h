// Worlds solved step by step: a prepared solver, searches of a test's own, and plans as texts.
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
// Takes everything off again, for placing by hand.
void trial_clear(Trial *trial);
// Opens a claim of the pool for a pod whose name starts so; puts one on a bin that is there. The bin's number.
uint32_t trial_open(Trial *trial, const char *pool, const char *pod);
uint32_t trial_put(Trial *trial, uint32_t bin, const char *pod);
// The class of the pods whose name starts so, and the first bin that has one (INDEX_NONE: none).
uint32_t trial_class(const Trial *trial, const char *pod);
uint32_t trial_bin_of(const Trial *trial, const char *pod);

// The price of the claims as they are, and the pods that have a place.
double trial_price(Trial *trial);
uint32_t trial_placed(Trial *trial);
// The plan as it stands. Lives as long as the trial.
Plan trial_plan(Trial *trial);

// Plans what world_plan planned last in another way. The plan lives as long as the world.
Plan world_search(World *world, PlanSearch search);
// With one strategy and nothing else.
Plan world_strategy(World *world, Strategy strategy);
// Only what the effort says.
Plan world_effort(World *world, Effort effort);

// Everything that a plan says, as text; equal texts, equal plans. Lives as long as the world.
const char *plan_text(World *world, const Plan *plan);
// Pods with a place: on claims, or on nodes too.
uint32_t plan_pods_on_claims(const Plan *plan);
uint32_t plan_pods(const Plan *plan);
