#include "obs/registry.h"

#include "base/alloc.h"
#include "base/check.h"
#include "obs/exposition.h"
#include "obs/series.h"

#include <math.h>
#include <pthread.h>

typedef struct {
    MetricInfo info;
    SeriesSet set;
} Family;

struct Registry {
    pthread_mutex_t lock;
    Family families[METRIC_COUNT];
};

Registry *registry_new(void) {
    Registry *registry = NEW(Registry);

    pthread_mutex_init(&registry->lock, NULL);
    for (uint32_t i = 0; i < METRIC_COUNT; i++)
        registry->families[i].info = metric_info((MetricId)i);
    return registry;
}

void registry_free(Registry *registry) {
    for (uint32_t i = 0; i < METRIC_COUNT; i++)
        series_set_free(&registry->families[i].set);
    pthread_mutex_destroy(&registry->lock);
    free(registry);
}

// --- finding series

// Cuts a value to REGISTRY_LABEL_MAX bytes, not inside a UTF-8 character.
static Slice cut(Slice value) {
    size_t len = REGISTRY_LABEL_MAX;

    if (value.len <= len)
        return value;
    while (len && ((unsigned char)value.ptr[len] & 0xC0) == 0x80)
        len--;
    return slice_first(value, len);
}

static void count_dropped(Registry *registry, Slice name) {
    Family *family = &registry->families[METRIC_SERIES_DROPPED];
    Series *series = series_find(&family->set, &name, 1);

    if (!series)
        series = series_add(&family->set, &family->info, &name);
    series->value++;
}

// The series; added when new. NULL: there are too many. Called under the lock.
static Series *series_of(Registry *registry, MetricId id, LabelValues labels) {
    Family *family = &registry->families[id];
    Slice values[METRIC_LABELS_MAX];
    Series *series;

    CHECK(labels.count == family->info.label_count, "%.*s has %u labels, %u are given", SLICE_ARG(family->info.name),
          family->info.label_count, labels.count);
    CHECK(family->info.source == METRIC_FED, "%.*s is not fed", SLICE_ARG(family->info.name));
    for (uint32_t i = 0; i < labels.count; i++)
        values[i] = cut(labels.values[i]);
    series = series_find(&family->set, values, labels.count);
    if (!series && family->set.count == REGISTRY_SERIES_MAX)
        count_dropped(registry, family->info.name);
    else if (!series)
        series = series_add(&family->set, &family->info, values);
    return series;
}

static MetricType type_of(const Registry *registry, MetricId id) {
    return registry->families[id].info.type;
}

// --- writing

void registry_add(Registry *registry, MetricId id, double by, LabelValues labels) {
    Series *series;

    CHECK(type_of(registry, id) == METRIC_COUNTER && by >= 0, "not a counter that goes up");
    pthread_mutex_lock(&registry->lock);
    series = series_of(registry, id, labels);
    if (series)
        series->value += by;
    pthread_mutex_unlock(&registry->lock);
}

void registry_set(Registry *registry, MetricId id, double value, LabelValues labels) {
    MetricType type = type_of(registry, id);
    Series *series;

    CHECK(type == METRIC_COUNTER || type == METRIC_GAUGE, "only counters and gauges are set");
    pthread_mutex_lock(&registry->lock);
    series = series_of(registry, id, labels);
    if (series && (type == METRIC_GAUGE || value > series->value))
        series->value = value;
    pthread_mutex_unlock(&registry->lock);
}

static uint32_t bucket_of(const MetricInfo *info, double value) {
    uint32_t from = 0, to = info->bucket_count;

    while (from < to) {
        uint32_t middle = (from + to) / 2;

        if (value <= info->buckets[middle])
            to = middle;
        else
            from = middle + 1;
    }
    return from;
}

void registry_observe(Registry *registry, MetricId id, double value, Mono now, LabelValues labels) {
    const MetricInfo *info = &registry->families[id].info;
    Series *series;

    CHECK(info->type == METRIC_HISTOGRAM || info->type == METRIC_SUMMARY, "only histograms and summaries observe");
    pthread_mutex_lock(&registry->lock);
    series = series_of(registry, id, labels);
    if (series) {
        series->value += value;
        series->count++;
        if (series->counts)
            series->counts[bucket_of(info, value)]++;
        else
            sketch_add(series->sketch, value, now);
    }
    pthread_mutex_unlock(&registry->lock);
}

void registry_forget(Registry *registry, MetricId id, Slice label, Slice value) {
    Family *family = &registry->families[id];

    for (uint32_t i = 0; i < family->info.label_count; i++) {
        if (!slice_eq(family->info.labels[i], label))
            continue;
        pthread_mutex_lock(&registry->lock);
        series_remove_where(&family->set, i, cut(value));
        pthread_mutex_unlock(&registry->lock);
    }
}

// --- reading

double registry_value(Registry *registry, MetricId id, LabelValues labels) {
    Family *family = &registry->families[id];
    double value = NAN;
    const Series *series;

    CHECK(labels.count == family->info.label_count, "%.*s has %u labels, %u are asked for",
          SLICE_ARG(family->info.name), family->info.label_count, labels.count);
    pthread_mutex_lock(&registry->lock);
    series = series_find(&family->set, labels.values, labels.count);
    if (series)
        value = family->info.type <= METRIC_GAUGE ? series->value : (double)series->count;
    pthread_mutex_unlock(&registry->lock);
    return value;
}

uint32_t registry_series(Registry *registry, MetricId id) {
    uint32_t count;

    pthread_mutex_lock(&registry->lock);
    count = registry->families[id].set.count;
    pthread_mutex_unlock(&registry->lock);
    return count;
}

static void print_histogram(Exposition *out, const Series *series) {
    uint64_t sum = 0;

    for (uint32_t i = 0; i <= out->info.bucket_count; i++) {
        sum += series->counts[i];
        exposition_part(out, "_bucket", series->labels, "le",
                        i < out->info.bucket_count ? out->info.buckets[i] : INFINITY, (double)sum);
    }
}

static void print_summary(Exposition *out, Series *series, Mono now) {
    static const double parts[] = {0, .5, .9, .99, 1};

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        exposition_part(out, "", series->labels, "quantile", parts[i], sketch_quantile(series->sketch, parts[i], now));
}

static void print_series(Exposition *out, Series *series, Mono now) {
    if (out->info.type <= METRIC_GAUGE) {
        exposition_sample(out, series->labels, series->value);
        return;
    }
    if (out->info.type == METRIC_HISTOGRAM)
        print_histogram(out, series);
    else
        print_summary(out, series, now);
    exposition_part(out, "_sum", series->labels, NULL, 0, series->value);
    exposition_part(out, "_count", series->labels, NULL, 0, (double)series->count);
}

void registry_print(Registry *registry, MetricId id, Mono now, Buffer *page) {
    SeriesSet *set = &registry->families[id].set;
    Exposition out;
    Series **all;

    exposition_begin(&out, page, id);
    pthread_mutex_lock(&registry->lock);
    all = series_sorted(set);
    for (uint32_t i = 0; i < set->count; i++)
        print_series(&out, all[i], now);
    pthread_mutex_unlock(&registry->lock);
    free(all);
}
