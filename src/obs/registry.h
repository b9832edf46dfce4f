// Registry: metrics that are counted when something happens (METRIC_FED): a value, histogram or summary for each
// combination of label values.
//
// Threads: every function may be called from any thread; one lock, held for one metric at a time. Memory is bounded: a
// metric has at most REGISTRY_SERIES_MAX series, and a label value at most REGISTRY_LABEL_MAX bytes (longer ones are
// cut). Observations of further series are dropped and counted in tenon_metrics_series_dropped_total.
#pragma once

#include "base/time.h"
#include "obs/metrics.h"

enum { REGISTRY_SERIES_MAX = 4096, REGISTRY_LABEL_MAX = 512 };

typedef struct Registry Registry;

Registry *registry_new(void);
void registry_free(Registry *registry);

// Label values, exactly as many as the metric has labels: registry_add(r, METRIC_X, 1, WITH(a, b));
typedef struct {
    const Slice *values;
    uint32_t count;
} LabelValues;
#define WITH(...)                                                                                                      \
    ((LabelValues){(const Slice[]){__VA_ARGS__}, (uint32_t)(sizeof((const Slice[]){__VA_ARGS__}) / sizeof(Slice))})
#define WITHOUT_LABELS ((LabelValues){NULL, 0})

// All O(bytes of the labels).

// Adds to a counter; `by` is not negative.
void registry_add(Registry *registry, MetricId id, double by, LabelValues labels);
// Sets a gauge. Of a counter: sets a total that was counted elsewhere; smaller values are ignored.
void registry_set(Registry *registry, MetricId id, double value, LabelValues labels);
// Adds an observation to a histogram or summary.
void registry_observe(Registry *registry, MetricId id, double value, Mono now, LabelValues labels);

// Removes all series of the metric whose label `label` has that value, because its object is gone. O(series).
void registry_forget(Registry *registry, MetricId id, Slice label, Slice value);

// The value of a counter or gauge, the number of observations of the others; NaN: no such series.
double registry_value(Registry *registry, MetricId id, LabelValues labels);
// Number of series.
uint32_t registry_series(Registry *registry, MetricId id);

// Appends the metric as text to `page`; nothing when it has no series. Series are sorted by their labels.
void registry_print(Registry *registry, MetricId id, Mono now, Buffer *page);
