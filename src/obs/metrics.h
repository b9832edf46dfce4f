// MetricInfo: the rows of metric_list.h as data.
#pragma once

#include "base/buffer.h"
#include "obs/metric_list.h"

typedef enum {
#define X(id, ...) METRIC_##id,
    METRICS(X)
#undef X
        METRIC_COUNT
} MetricId;

typedef enum { METRIC_COUNTER, METRIC_GAUGE, METRIC_HISTOGRAM, METRIC_SUMMARY } MetricType;
typedef enum { METRIC_FED, METRIC_READ, METRIC_ASKED, METRIC_AWAITS } MetricSource;

enum { METRIC_LABELS_MAX = 20, METRIC_BUCKETS_MAX = 48 };

typedef struct {
    Slice name, help;
    MetricType type;
    MetricSource source;
    uint32_t label_count, bucket_count;
    Slice labels[METRIC_LABELS_MAX]; // names, in the order of the values
    const double *buckets;           // of a histogram: upper bounds, ascending, without +Inf
} MetricInfo;

// The row of a metric. O(labels): splits the list of names.
MetricInfo metric_info(MetricId id);
// The type's name in the exposition format, "counter".
const char *metric_type_text(MetricType type);

// Appends docs/metrics.md, the list for users, to `page`.
void metrics_print_markdown(Buffer *page);
