// Choice among the nodes that fit.
#pragma once

#include "sim/scheduler/cache/parts.h"

uint32_t cache_pick(CacheTrial *trial, const CacheList *feasible);
