// MetricsObserver: counts changes of the State, intents of controllers and their completions, for the metrics with
// source FED. Controllers do not know it, and stay pure.
//
// It is called on the engine's thread, changes nothing, keeps no pointers to what it is given, and does no I/O. It
// writes to the Registry, under the names of metric_list.h. Behaviour: reference lifecycle.md 7.1.
#pragma once

#include "ctl/ctl.h"
#include "engine/engine.h"
#include "obs/observer/pod_times.h"
#include "obs/registry.h"

typedef struct MetricsObserver MetricsObserver;

// `registry` must outlive the observer. `provider` is the value of the label for the cloud ("kwok").
MetricsObserver *metrics_observer_new(Registry *registry, Slice provider);
// Begins to observe a State, given its symbols: what was remembered of an earlier State is dropped, counters go on. Not
// to be called while a page is printed from metrics_observer_pods.
void metrics_observer_begin(MetricsObserver *metrics_observer, const Symbols *symbols);
void metrics_observer_free(MetricsObserver *metrics_observer);

// Counts a change of an object. `listing`: it existed before tenon started, so the change is not an event.
// O(conditions).
void metrics_observer_changed(MetricsObserver *metrics_observer, const State *state, const StateChange *change,
                              bool listing, Moment at);
// Counts a call of a controller for a key, and its intents (all of them, events and logs too). `took_ns`: duration of
// the call. O(intents).
void metrics_observer_called(MetricsObserver *metrics_observer, const State *state, const char *controller, Key key,
                             const Intent *intents, uint32_t count, int64_t took_ns, Moment at);
// Counts a completed batch, or one intent aside. `intents` are those of the completions. O(count), of a solve O(pods).
// May be called before or after the answers are applied to `state`.
void metrics_observer_told(MetricsObserver *metrics_observer, const State *state, const char *controller, Key key,
                           const Intent *intents, const Completion *completions, uint32_t count, Moment at);
// Counts a call of the cloud for several intents, unless it lists. O(1).
void metrics_observer_gathered(MetricsObserver *metrics_observer, IntentType type, uint32_t count, int64_t waited_ns,
                               Moment at);
// Takes in the engine's counters; called before a page is printed, or periodically.
void metrics_observer_counts(MetricsObserver *metrics_observer, const EngineCounts *counts, bool synced, Moment at);

// What the observer remembers of pending pods; has its own lock.
PodMemory *metrics_observer_pods(MetricsObserver *metrics_observer);
