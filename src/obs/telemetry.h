// What a process counts of itself, put together: the registry, who feeds it, and the page.
//
// It outlives engines, and what was counted goes on from one to the next:
//
//   telemetry_new → its observer into EngineConfig → engine_new → telemetry_follow(engine) → engine_start → … →
//   telemetry_follow(NULL) → engine_free → … → telemetry_free
//
// Pages may be printed all the time; while no engine is followed they have no series of objects.
#pragma once

#include "obs/observer/observer.h"
#include "obs/page.h"

typedef struct Telemetry Telemetry;

// Texts are borrowed. `commit`: what it was built from, "" when it is not known. `cluster_series` false: never any
// series of objects (--disable-cluster-state-observability).
Telemetry *telemetry_new(Slice provider, Slice commit, Clock clock, bool cluster_series);
void telemetry_free(Telemetry *telemetry);

Registry *telemetry_registry(Telemetry *telemetry);
Page *telemetry_page(Telemetry *telemetry);
const EngineObserver *telemetry_observer(Telemetry *telemetry);

// From now on this engine is looked on: after engine_new, before it starts. NULL: none, before engine_free; waits for a
// page that is being printed.
void telemetry_follow(Telemetry *telemetry, Engine *engine);
// Whether the engine that is followed has seen everything. Any thread.
bool telemetry_is_synced(Telemetry *telemetry);
