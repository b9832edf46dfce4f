// Room on nodes.
#pragma once

#include "sim/scheduler/cache/parts.h"

// Completes a verdict by the room of the node. O(1) while nothing comes or goes there, else O(requests).
CacheReason cache_room_look(SchedulerCache *cache, const CacheShape *shape, CacheVerdict *verdict, uint32_t node);
void cache_room_stamp(SchedulerCache *cache, uint32_t node);

// The columns that the shape lacks room in.
uint64_t cache_room_lacks(const SchedulerCache *cache, const CacheShape *shape, uint32_t node);
bool cache_room_is_short_of_pods(const SchedulerCache *cache, uint32_t node);
