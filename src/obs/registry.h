// The metrics that are counted as things happen (METRIC_FED): one value, histogram or summary for each combination of
// label values.
//
// Threads: every function may be called from any thread; one lock, held for the time of one metric. Memory is bounded:
// a metric has at most REGISTRY_SERIES_MAX series, and a label value at most REGISTRY_LABEL_MAX bytes (longer ones are
// cut). What comes on top is not kept, and counted in tenon_metrics_series_dropped_total.
#pragma once

#include "base/time.h"
#include "obs/metrics.h"

enum { REGISTRY_SERIES_MAX = 4096, REGISTRY_LABEL_MAX = 512 };

typedef struct Registry Registry;

Registry *registry_new(void);
void registry_free(Registry *registry);

// Label values: as many as the metric has labels (a bug otherwise). registry_add(r, METRIC_X, 1, WITH(a, b));
typedef struct {
    const Slice *values;
    uint32_t count;
} LabelValues;
#define WITH(...)                                                                                                      \
    ((LabelValues){(const Slice[]){__VA_ARGS__}, (uint32_t)(sizeof((const Slice[]){__VA_ARGS__}) / sizeof(Slice))})
#define WITHOUT_LABELS ((LabelValues){NULL, 0})

// All O(bytes of the labels).

// A counter goes up; `by` is not negative.
void registry_add(Registry *registry, MetricId id, double by, LabelValues labels);
// A gauge is set. Of a counter: it was counted elsewhere and stands there now; smaller values are ignored.
void registry_set(Registry *registry, MetricId id, double value, LabelValues labels);
// A histogram or summary sees a value.
void registry_observe(Registry *registry, MetricId id, double value, Mono now, LabelValues labels);

// Lets go of all series of the metric whose label `label` has that value (its object is gone). O(series).
void registry_forget(Registry *registry, MetricId id, Slice label, Slice value);

// The value of a counter or gauge, the number of observations of the others; NaN: there is no such series.
double registry_value(Registry *registry, MetricId id, LabelValues labels);
// How many series it has.
uint32_t registry_series(Registry *registry, MetricId id);

// The metric as text, appended to `page`; nothing when it has no series. Series are sorted by their labels.
void registry_print(Registry *registry, MetricId id, Mono now, Buffer *page);
