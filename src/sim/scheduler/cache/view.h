// Views: tallies by topology domain.
#pragma once

#include "sim/scheduler/cache/parts.h"

uint32_t cache_key(SchedulerCache *cache, Symbol key);
uint32_t cache_view_take(SchedulerCache *cache, const CacheView *wanted); // takes over wanted->needed_keys

void cache_view_drop(SchedulerCache *cache, uint32_t view);
void cache_view_add(CacheView *view, uint32_t node, int sign, uint32_t by);

// Updates a view with the changed nodes, before it is read.
CacheView *cache_view_read(SchedulerCache *cache, uint32_t view);
uint32_t cache_view_least(CacheView *view);
void cache_keys_move_node(SchedulerCache *cache, uint32_t node);
void cache_node_stamp(SchedulerCache *cache, uint32_t node);
