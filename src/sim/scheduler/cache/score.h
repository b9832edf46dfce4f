// Which of the nodes that fit is taken.
#pragma once

#include "sim/scheduler/cache/parts.h"

uint32_t cache_pick(CacheTrial *trial, const CacheList *feasible);
