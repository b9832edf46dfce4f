// Helpers and parts of the collector. Private to src/obs.
#pragma once

#include "obs/collect/collect.h"
#include "obs/exposition.h"

#include "obs/subject.h"

static inline Slice collected_text(const Collector *collector, Symbol symbol) {
    return symbol_text(&collector->cluster->symbols, symbol);
}

static inline Slice collected_label(const Collector *collector, const Labels *labels, Symbol key) {
    Symbol value = labels_get(labels, key);

    return value == INDEX_NONE ? SLICE("") : collected_text(collector, value);
}

// Age in seconds, never negative.
static inline double collected_age(const Collector *collector, int64_t since_ns) {
    return collector->at.wall_ns > since_ns ? ns_to_s(collector->at.wall_ns - since_ns) : 0;
}

// A resource as a label value, "ephemeral_storage"; in the collector's arena.
Slice collected_resource(const Collector *collector, Symbol resource);
// An amount in cores, bytes or units.
double collected_amount(Symbol resource, int64_t amount);

void collect_nodes(const Collector *collector, MetricId id, Exposition *out);
void collect_cluster(const Collector *collector, MetricId id, Exposition *out);
void collect_pools(const Collector *collector, MetricId id, Exposition *out);
void collect_pods(const Collector *collector, MetricId id, Exposition *out);
void collect_subjects(const Collector *collector, MetricId id, Exposition *out);
