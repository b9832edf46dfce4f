// Whether a plan keeps the rules: a second opinion that asks the objects themselves and not the planner's tables. It
// knows what random worlds (random_world.h) are made of, and less than the checker of the property tests.
#pragma once

#include "sched/support/world_plan.h"

// Fails the test, naming the rule, with the plan printed:
// every pod is in the plan once; pods fit on every type that a claim may become and on what is left of nodes; limits
// hold whatever is launched; node selectors, taints, host ports, anti-affinity, affinity and spread hold at the end;
// the price is the sum of the choices, each of them the best of its claim.
void assert_plan_holds(World *world, const Plan *plan);
