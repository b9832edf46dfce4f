// Slots of nodes by name.
#pragma once

#include "sim/scheduler/cache/parts.h"

// The slot of a node of that name, made when there is none: pods may be on a node that nobody has told of yet.
uint32_t cache_node_slot(SchedulerCache *cache, Symbol name);

// Gives the slot back when nobody needs it any more.
void cache_node_leave(SchedulerCache *cache, uint32_t slot);
