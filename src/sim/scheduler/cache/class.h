// Classes: pods that are equal to every rule.
#pragma once

#include "sim/scheduler/cache/parts.h"

uint32_t cache_class_take(SchedulerCache *cache, const Pod *pod, const CacheExtras *extras);
void cache_class_drop(SchedulerCache *cache, uint32_t class_index);
void cache_class_make_rules(SchedulerCache *cache, uint32_t class_index);
