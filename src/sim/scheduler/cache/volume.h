// Filters of volumes.
#pragma once

#include "sim/scheduler/cache/parts.h"

void cache_volumes_begin(CacheTrial *trial);
CacheReason cache_volumes_filter(CacheTrial *trial, uint32_t node);
CacheReason cache_volume_limits_filter(CacheTrial *trial, uint32_t node);
CacheReason cache_volume_rivals_filter(const CacheTrial *trial);
