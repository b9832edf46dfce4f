// Internals of the MetricsObserver, shared by its files: observer/observer.c dispatches, the other files count by
// subject.
#pragma once

#include "obs/observer/observer.h"
#include "obs/subject.h"
#include "state/table.h"

#include <pthread.h>

struct MetricsObserver {
    Registry *registry;
    Symbols symbols;
    Slice provider;
    PodMemory *pods;
    Table given_up; // name of a NodeClaim whose launch was given up, to a GiveUp
    Mono unsynced_since;
};

static inline Slice metrics_observer_text(const MetricsObserver *metrics_observer, Symbol symbol) {
    return symbol_text(&metrics_observer->symbols, symbol);
}

// The value of a label; empty when there is none.
static inline Slice metrics_observer_label(const MetricsObserver *metrics_observer, const Labels *labels, Symbol key) {
    Symbol value = labels_get(labels, key);

    return value == INDEX_NONE ? SLICE("") : metrics_observer_text(metrics_observer, value);
}

// Seconds between two wall times in objects; 0 when they are reversed.
static inline double seconds_between(int64_t from_ns, int64_t to_ns) {
    return to_ns > from_ns ? ns_to_s(to_ns - from_ns) : 0;
}

// A change of an object.
typedef struct {
    const State *state;
    const StateChange *change;
    bool listing;
    Moment at;
} Sight;

void look_at_pod(MetricsObserver *metrics_observer, const Sight *sight);
void look_at_node(MetricsObserver *metrics_observer, const Sight *sight);
void look_at_claim(MetricsObserver *metrics_observer, const Sight *sight);
void look_at_pool(MetricsObserver *metrics_observer, const Sight *sight);
void look_at_conditions(MetricsObserver *metrics_observer, const Sight *sight);

// A completed intent.
typedef struct {
    const State *state;
    const char *controller;
    const Intent *intent;
    const Completion *completion;
    Moment at;
} Answer;

// Messages of the queue, and of refreshes; a message that was settled.
void look_at_messages(MetricsObserver *metrics_observer, const Answer *answer);
void look_at_news(MetricsObserver *metrics_observer, const Answer *answer);
void look_at_settlement(MetricsObserver *metrics_observer, const Answer *answer);
void look_at_cloud_answer(MetricsObserver *metrics_observer, const Answer *answer);
void look_at_creation(MetricsObserver *metrics_observer, const Answer *answer);
void look_at_removal(MetricsObserver *metrics_observer, const Answer *answer);
void look_at_eviction(MetricsObserver *metrics_observer, const Answer *answer);
void look_at_solve(MetricsObserver *metrics_observer, const Answer *answer);
// Reasons as metrics spell them since Karpenter 1.15 (reference changes.md 6): "underutilized", ...
extern const char *const metric_reasons[DISRUPTION_REASON_COUNT];
const char *metric_method_reason(DisruptMethod method);

void look_at_disruption(MetricsObserver *metrics_observer, const Answer *answer);
void look_at_reboot(MetricsObserver *metrics_observer, const Answer *answer);
void look_at_command(MetricsObserver *metrics_observer, const Answer *answer);
// Writes of pod deletion costs, and what a pass over them found.
void look_at_patch(MetricsObserver *metrics_observer, const Answer *answer);
void look_at_costs(MetricsObserver *metrics_observer, const Answer *answer);

// Remembers why a launch was given up, from the event that its controller publishes with it.
void look_at_event(MetricsObserver *metrics_observer, Key key, const EventIntent *event);
