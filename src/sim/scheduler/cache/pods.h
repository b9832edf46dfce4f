// Pods on their nodes.
#pragma once

#include "sim/scheduler/cache/parts.h"

// Counts a pod on a node, and undoes that.
void cache_seat(SchedulerCache *cache, uint32_t slot, uint32_t node);
void cache_unseat(SchedulerCache *cache, uint32_t slot);

// Whether any pod on a node has a lower priority. O(distinct priorities).
bool cache_has_below(const SchedulerCache *cache, int32_t priority);
