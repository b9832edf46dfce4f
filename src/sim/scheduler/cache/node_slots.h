// Slots of nodes, by name.
#pragma once

#include "sim/scheduler/cache/parts.h"

// The slot of the node of that name; made when there is none: pods may be on a node that is not known yet.
uint32_t cache_node_slot(SchedulerCache *cache, Symbol name);

// Frees the slot when nothing refers to it any more.
void cache_node_leave(SchedulerCache *cache, uint32_t slot);
