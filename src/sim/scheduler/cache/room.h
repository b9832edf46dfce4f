// Room on nodes.
#pragma once

#include "sim/scheduler/cache/parts.h"

// Completes a verdict by the node's room. O(1) while no pod comes to or leaves the node, else O(requests).
CacheReason cache_room_look(SchedulerCache *cache, const CacheShape *shape, CacheVerdict *verdict, uint32_t node);
void cache_room_stamp(SchedulerCache *cache, uint32_t node);

// The columns (a bit set) in which the shape lacks room.
uint64_t cache_room_lacks(const SchedulerCache *cache, const CacheShape *shape, uint32_t node);
bool cache_room_is_short_of_pods(const SchedulerCache *cache, uint32_t node);
