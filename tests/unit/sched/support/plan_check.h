// An independent check of plans, made on the objects and not on the planner's tables. It covers what random worlds
// (random_world.h) have, less than the checker of the property tests.
#pragma once

#include "sched/support/world_plan.h"

// Fails the test and prints the rule and the plan unless
// every pod is in the plan once; pods fit on every type that a claim may become and on what is left of nodes; limits
// hold whatever is launched; node selectors, taints, host ports, anti-affinity, affinity and spread hold at the end;
// the price is the sum of the choices, each of them the best of its claim.
void assert_plan_holds(World *world, const Plan *plan);
