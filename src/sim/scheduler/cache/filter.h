// Filters of an attempt.
#pragma once

#include "sim/scheduler/cache/parts.h"

void cache_trial_begin(CacheTrial *trial, SchedulerCache *cache, uint32_t slot);
void cache_trial_refresh(CacheTrial *trial); // after pods were removed or added
void cache_trial_end(CacheTrial *trial);

// Runs all filters, with the pods nominated for the node counted.
CacheReason cache_filter(CacheTrial *trial, uint32_t node);
bool cache_reason_is_final(CacheReason reason);
