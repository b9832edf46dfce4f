// Floors from whole contents of nodes, of all pending pods of a world.
#pragma once

#include "sched/contents/small_floor.h"
#include "sched/support/world_plan.h"

typedef double FloorOf(Solver *solver, const SmallFloorQuestion *question);

// The floor by one method, 0: none. All pods must have a place in the plan, and the floor may not be above its price.
// `settled`: spreads count only the domains with nodes.
double floor_of_pending(World *world, FloorOf *method, bool settled);
