// The filters of one attempt.
#pragma once

#include "sim/scheduler/cache/parts.h"

void cache_trial_begin(CacheTrial *trial, SchedulerCache *cache, uint32_t slot);
void cache_trial_refresh(CacheTrial *trial); // after pods were taken away or added
void cache_trial_end(CacheTrial *trial);

// All filters, with what waits for the node in place.
CacheReason cache_filter(CacheTrial *trial, uint32_t node);
bool cache_reason_is_final(CacheReason reason);
