// Shapes: requirements of pods on a node alone.
#pragma once

#include "sim/scheduler/cache/parts.h"

uint32_t cache_shape_take(SchedulerCache *cache, const Pod *pod, const CacheExtras *extras);
void cache_shape_drop(SchedulerCache *cache, uint32_t shape);

// Whether the pod still has this shape, not considering extras.
bool cache_shape_is(SchedulerCache *cache, uint32_t shape, const Pod *pod);

// The verdict of a shape on a node's labels and taints; `pins` of the pod or NULL. Valid until the next call. O(1)
// while the node does not change.
CacheVerdict *cache_shape_look(SchedulerCache *cache, uint32_t shape, const CachePin *pins, uint32_t node);
uint32_t cache_column(SchedulerCache *cache, Symbol resource);
