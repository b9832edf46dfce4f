// Tallies: numbers of pods that a term selects.
#pragma once

#include "sim/scheduler/cache/parts.h"

uint32_t cache_tally_take(SchedulerCache *cache, CacheTally *wanted); // takes over wanted->arena

void cache_tally_drop(SchedulerCache *cache, uint32_t tally);
bool cache_tally_selects(SchedulerCache *cache, const CacheTally *tally, const CacheClass *class);
void cache_tallies_add_pod(SchedulerCache *cache, const CachePod *pod, int sign);
void cache_tallies_meet_class(SchedulerCache *cache, uint32_t class_index);
