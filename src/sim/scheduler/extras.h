// What a scheduler reads of a pod that the State does not keep. Private to src/sim/scheduler.
#pragma once

#include "sim/scheduler/cache/cache.h"

// From the object as the API server gives it. Memory of the pins: `arena`. O(containers + terms).
CacheExtras cache_extras_read(Arena *arena, Symbols *symbols, const Value *pod);
