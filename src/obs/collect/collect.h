// The metrics that are made when somebody asks (METRIC_READ), from a snapshot: one series for each object that is
// there.
//
// Nothing of this is kept, so it takes no memory between two pages, and what is gone leaves nothing behind. Pods that
// are over, and unbound ones that do not wait for a node, are not in a snapshot's cluster and have no series.
// Behaviour: reference lifecycle.md 7.1.
#pragma once

#include "obs/metrics.h"
#include "obs/observer/pod_times.h"
#include "state/state.h"

typedef struct {
    Arena *arena;
    const Cluster *cluster;
    PodMemory *pods;   // of the metrics_observer
    Resources *usage;  // by node: requests of its pods; made by collector_init
    Resources *daemon; // of those the DaemonSets'
    IndexMap nodes;    // name to number in cluster->nodes
    Moment at;
} Collector;

// O(pods × resources + nodes).
void collector_init(Collector *collector, Arena *arena, const Cluster *cluster, PodMemory *pods, Moment at);
// The metric as text, appended; nothing when there is no series. O(objects it is about), in the order in which those
// came.
void collector_print(const Collector *collector, MetricId id, Buffer *page);
// Whether a metric is made here: exactly those that the list says READ of.
bool collector_has(MetricId id);
