// Changes of nodes, and their order.
#pragma once

#include "sim/scheduler/cache/parts.h"

const CacheList *cache_order(SchedulerCache *cache);
