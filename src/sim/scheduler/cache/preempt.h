// Preemption.
#pragma once

#include "sim/scheduler/cache/parts.h"

CachePreemption cache_preempt(CacheTrial *trial);
