// Whom to move for a pod that fits nowhere.
#pragma once

#include "sim/scheduler/cache/parts.h"

CachePreemption cache_preempt(CacheTrial *trial);
