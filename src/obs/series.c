#include "obs/series.h"

#include "base/alloc.h"
#include "base/check.h"
#include "base/map.h"

#include <stdlib.h>

static void series_free(Series *series) {
    free(series->counts);
    free(series->sketch);
    free(series);
}

void series_set_free(SeriesSet *set) {
    for (uint32_t i = 0; i < set->capacity; i++) {
        if (set->slots[i])
            series_free(set->slots[i]);
    }
    free(set->slots);
    *set = (SeriesSet){0};
}

static uint64_t hash_of(const Slice *labels, uint32_t count) {
    uint64_t hash = count;

    for (uint32_t i = 0; i < count; i++)
        hash = hash_combine(hash, slice_hash(labels[i]));
    return hash;
}

static bool has_labels(const Series *series, const Slice *labels) {
    for (uint32_t i = 0; i < series->label_count; i++) {
        if (!slice_eq(series->labels[i], labels[i]))
            return false;
    }
    return true;
}

Series *series_find(const SeriesSet *set, const Slice *labels, uint32_t count) {
    uint64_t hash;

    if (!set->count)
        return NULL;
    hash = hash_of(labels, count);
    for (uint32_t at = (uint32_t)hash & (set->capacity - 1); set->slots[at]; at = (at + 1) & (set->capacity - 1)) {
        if (set->slots[at]->hash == hash && has_labels(set->slots[at], labels))
            return set->slots[at];
    }
    return NULL;
}

static void put(SeriesSet *set, Series *series) {
    uint32_t at = (uint32_t)series->hash & (set->capacity - 1);

    while (set->slots[at])
        at = (at + 1) & (set->capacity - 1);
    set->slots[at] = series;
    set->count++;
}

static void resize(SeriesSet *set, uint32_t capacity) {
    SeriesSet larger = {NEW_ARRAY(Series *, capacity), capacity, 0};

    for (uint32_t i = 0; i < set->capacity; i++) {
        if (set->slots[i])
            put(&larger, set->slots[i]);
    }
    free(set->slots);
    *set = larger;
}

static Series *series_new(const MetricInfo *info, const Slice *labels) {
    size_t bytes = 0;
    Series *series;
    char *at;

    for (uint32_t i = 0; i < info->label_count; i++)
        bytes += labels[i].len;
    series = alloc_zeroed(1, sizeof *series + info->label_count * sizeof(Slice) + bytes);
    series->label_count = info->label_count;
    at = (char *)(series->labels + info->label_count);
    for (uint32_t i = 0; i < info->label_count; i++) {
        series->labels[i] = (Slice){at, labels[i].len};
        if (labels[i].len)
            memcpy(at, labels[i].ptr, labels[i].len);
        at += labels[i].len;
    }
    series->hash = hash_of(labels, info->label_count);
    if (info->type == METRIC_HISTOGRAM)
        series->counts = NEW_ARRAY(uint64_t, info->bucket_count + 1);
    if (info->type == METRIC_SUMMARY)
        series->sketch = NEW(Sketch);
    return series;
}

Series *series_add(SeriesSet *set, const MetricInfo *info, const Slice *labels) {
    Series *series = series_new(info, labels);

    if ((set->count + 1) * 4 > set->capacity * 3)
        resize(set, set->capacity ? set->capacity * 2 : 4);
    put(set, series);
    return series;
}

uint32_t series_remove_where(SeriesSet *set, uint32_t label, Slice value) {
    uint32_t before = set->count, left = 0;

    for (uint32_t i = 0; i < set->capacity; i++) {
        Series *series = set->slots[i];

        if (series && slice_eq(series->labels[label], value)) {
            series_free(series);
            set->slots[i] = NULL;
        }
        left += set->slots[i] != NULL;
    }
    if (left < before)
        resize(set, set->capacity); // rehashes, so that probing meets no gaps
    return before - left;
}

static int by_labels(const void *a, const void *b) {
    const Series *x = *(Series *const *)a, *y = *(Series *const *)b;

    for (uint32_t i = 0; i < x->label_count; i++) {
        int order = slice_cmp(x->labels[i], y->labels[i]);

        if (order)
            return order;
    }
    return 0;
}

Series **series_sorted(const SeriesSet *set) {
    Series **all = NEW_ARRAY(Series *, set->count);
    uint32_t count = 0;

    for (uint32_t i = 0; i < set->capacity; i++) {
        if (set->slots[i])
            all[count++] = set->slots[i];
    }
    qsort(all, count, sizeof *all, by_labels);
    return all;
}
