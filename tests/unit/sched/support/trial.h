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
