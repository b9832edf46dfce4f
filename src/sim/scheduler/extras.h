// CacheExtras: members of a pod that the State does not keep. Private to src/sim/scheduler.
#pragma once

#include "sim/scheduler/cache/cache.h"

// Reads them from the API object. Memory of the pins: `arena`. O(containers + terms).
CacheExtras cache_extras_read(Arena *arena, Symbols *symbols, const Value *pod);
