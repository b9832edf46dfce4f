// CacheSources over a State. Private to src/sim/scheduler.
#pragma once

#include "sim/scheduler/cache/cache.h"

// Walks by index (services, budgets) keep their position: one walk at a time.
typedef struct {
    const State *state;
    Handle service;
} StateSources;

// `sources` must outlive the cache.
CacheSources cache_sources_of_state(StateSources *sources, const State *state);
