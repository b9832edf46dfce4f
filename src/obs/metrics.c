// The rows of metric_list.h as data.
#include "obs/metrics.h"

#include "base/check.h"

#define X(name, ...) static const double buckets_##name[] = {__VA_ARGS__};
BUCKETS(X)
#undef X

typedef struct {
    const char *name, *labels, *help;
    MetricType type;
    MetricSource source;
    const double *buckets;
    uint32_t bucket_count;
} Row;

static const Row rows[METRIC_COUNT] = {
#define X(id, type, buckets, source, name, labels, help)                                                               \
    [METRIC_##id] = {name,                                                                                             \
                     labels,                                                                                           \
                     help,                                                                                             \
                     METRIC_##type,                                                                                    \
                     METRIC_##source,                                                                                  \
                     buckets_##buckets,                                                                                \
                     METRIC_##type == METRIC_HISTOGRAM ? sizeof buckets_##buckets / sizeof(double) : 0},
    METRICS(X)
#undef X
};

static void cut_labels(MetricInfo *info, Slice labels) {
    while ((labels = slice_trim(labels)).len) {
        ptrdiff_t blank = slice_find(labels, ' ');
        size_t len = blank < 0 ? labels.len : (size_t)blank;

        CHECK(info->label_count < METRIC_LABELS_MAX, "%.*s has too many labels", SLICE_ARG(info->name));
        info->labels[info->label_count++] = slice_first(labels, len);
        labels = slice_from(labels, len);
    }
}

MetricInfo metric_info(MetricId id) {
    const Row *row;
    MetricInfo info;

    CHECK(id < METRIC_COUNT, "metric %d", (int)id);
    row = &rows[id];
    CHECK(row->bucket_count <= METRIC_BUCKETS_MAX, "%s has too many buckets", row->name);
    info = (MetricInfo){.name = slice_of(row->name),
                        .help = slice_of(row->help),
                        .type = row->type,
                        .source = row->source,
                        .bucket_count = row->bucket_count,
                        .buckets = row->bucket_count ? row->buckets : NULL};
    cut_labels(&info, slice_of(row->labels));
    return info;
}

const char *metric_type_text(MetricType type) {
    static const char *const texts[] = {"counter", "gauge", "histogram", "summary"};

    return texts[type];
}
