// Collector: metrics that are computed when a page is requested (METRIC_READ), from a snapshot: one series per object.
//
// Nothing is kept between two pages, so this takes no memory, and objects that are gone leave no series behind.
// Terminal pods, and unbound ones that do not wait for a node, are not in a snapshot's cluster and have no series.
// Behaviour: reference lifecycle.md 7.1.
#pragma once

#include "obs/metrics.h"
#include "obs/observer/pod_times.h"
#include "state/state.h"

typedef struct {
    Arena *arena;
    const Cluster *cluster;
    PodMemory *pods;   // of the MetricsObserver
    Resources *usage;  // by node: requests of its pods; computed by collector_init
    Resources *daemon; // the part of them that is DaemonSets'
    IndexMap nodes;    // node name to index in cluster->nodes
    Moment at;
} Collector;

// O(pods × resources + nodes).
void collector_init(Collector *collector, Arena *arena, const Cluster *cluster, PodMemory *pods, Moment at);
// Appends a metric as text; nothing when it has no series. O(objects of its kind), in the order of the cluster.
void collector_print(const Collector *collector, MetricId id, Buffer *page);
// Whether the metric is computed here: exactly those with source READ in the list.
bool collector_has(MetricId id);
