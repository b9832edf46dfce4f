// Telemetry: the metrics of a process put together: registry, observer and page.
//
// It outlives engines, and counters go on from one engine to the next:
//
//   telemetry_new → its observer into EngineConfig → engine_new → telemetry_follow(engine) → engine_start → … →
//   telemetry_follow(NULL) → engine_free → … → telemetry_free
//
// Pages may be printed at any time; without an engine they have no series of objects.
#pragma once

#include "obs/observer/observer.h"
#include "obs/page.h"

typedef struct Telemetry Telemetry;

// Texts are borrowed. `commit`: the commit of this build, "" when unknown. `cluster_series` false: never any series of
// objects (--disable-cluster-state-observability).
Telemetry *telemetry_new(Slice provider, Slice commit, Clock clock, bool cluster_series);
void telemetry_free(Telemetry *telemetry);

Registry *telemetry_registry(Telemetry *telemetry);
Page *telemetry_page(Telemetry *telemetry);
const EngineObserver *telemetry_observer(Telemetry *telemetry);

// Follows an engine: to be called after engine_new, before it starts; and with NULL before engine_free, which waits for
// a page that is being printed.
void telemetry_follow(Telemetry *telemetry, Engine *engine);
// Whether the engine has listed every kind. Any thread.
bool telemetry_is_synced(Telemetry *telemetry);
// How long the plan that is being made has taken; 0: none is being made. Any thread.
int64_t telemetry_solving_ns(Telemetry *telemetry);
