// What a process counts of itself, put together: the registry, who feeds it, and the page.
//
// It outlives engines, and what was counted goes on from one to the next:
//
//   observatory_new → its witness into EngineConfig → engine_new → observatory_follow(engine) → engine_start → … →
//   observatory_follow(NULL) → engine_free → … → observatory_free
//
// Pages may be printed all the time; while no engine is followed they have no series of objects.
#pragma once

#include "obs/onlooker.h"
#include "obs/page.h"

typedef struct Observatory Observatory;

// Texts are borrowed. `commit`: what it was built from, "" when it is not known. `cluster_series` false: never any
// series of objects (--disable-cluster-state-observability).
Observatory *observatory_new(Slice provider, Slice commit, Clock clock, bool cluster_series);
void observatory_free(Observatory *observatory);

Registry *observatory_registry(Observatory *observatory);
Page *observatory_page(Observatory *observatory);
const Witness *observatory_witness(Observatory *observatory);

// From now on this engine is looked on: after engine_new, before it starts. NULL: none, before engine_free; waits for a
// page that is being printed.
void observatory_follow(Observatory *observatory, Engine *engine);
// Whether the engine that is followed has seen everything. Any thread.
bool observatory_is_synced(Observatory *observatory);
