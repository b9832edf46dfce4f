// Who looks on while the engine works, and counts: changes of the State, what was intended, what came of it.
// Controllers know nothing of it and stay pure.
//
// It is told on the engine's thread, changes nothing, keeps nothing that it is given, and does no I/O. What it counts
// goes into the Registry under the names of metric_list.h. Behaviour: reference lifecycle.md 7.1.
#pragma once

#include "ctl/ctl.h"
#include "engine/engine.h"
#include "obs/observer/pod_times.h"
#include "obs/registry.h"

typedef struct MetricsObserver MetricsObserver;

// `registry` must outlive it. `provider` is the label of the cloud ("kwok").
MetricsObserver *metrics_observer_new(Registry *registry, Slice provider);
// Before anything is told of a State, with its symbols: what was known of an earlier one is forgotten, what was counted
// stays. Not while somebody prints from metrics_observer_pods.
void metrics_observer_begin(MetricsObserver *metrics_observer, const Symbols *symbols);
void metrics_observer_free(MetricsObserver *metrics_observer);

// An object came, changed or went. `listing`: it was there before tenon looked, so nothing about it has just happened.
// O(conditions).
void metrics_observer_changed(MetricsObserver *metrics_observer, const State *state, const StateChange *change,
                              bool listing, Moment at);
// A controller was called for a key, and what it intended (all of it, events and logs too). `took_ns`: its own time.
// O(intents).
void metrics_observer_called(MetricsObserver *metrics_observer, const State *state, const char *controller, Key key,
                             const Intent *intents, uint32_t count, int64_t took_ns, Moment at);
// A batch, or one intent aside, was carried out. `intents` are those of the completions. O(count), of a solve O(pods).
// Called before the answers are applied to `state` or after, as the engine likes.
void metrics_observer_told(MetricsObserver *metrics_observer, const State *state, const char *controller, Key key,
                           const Intent *intents, const Completion *completions, uint32_t count, Moment at);
// How the engine stands; called before a page is printed, or from time to time.
void metrics_observer_counts(MetricsObserver *metrics_observer, const EngineCounts *counts, bool synced, Moment at);

// What it knows of waiting pods; has its own lock.
PodMemory *metrics_observer_pods(MetricsObserver *metrics_observer);
