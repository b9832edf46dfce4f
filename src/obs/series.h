// The series of one metric: one for each combination of label values. Private to src/obs.
#pragma once

#include "obs/metrics.h"
#include "obs/sketch.h"

typedef struct {
    uint64_t hash;
    double value;     // counter and gauge; of the others the sum of what was observed
    uint64_t count;   // of what was observed
    uint64_t *counts; // histogram: for each bucket, and at last +Inf; not cumulated
    Sketch *sketch;   // summary
    uint32_t label_count;
    Slice labels[]; // values; their bytes stand behind
} Series;

// A set that series leave again: open addressing, at most 3/4 full. {0} is a valid empty one. On the heap.
typedef struct {
    Series **slots;
    uint32_t capacity, count;
} SeriesSet;

void series_set_free(SeriesSet *set);
// NULL: there is none. O(bytes of the labels).
Series *series_find(const SeriesSet *set, const Slice *labels, uint32_t count);
// A new one, all zero; there must be none with these labels.
Series *series_add(SeriesSet *set, const MetricInfo *info, const Slice *labels);
// Lets go of those whose label `at` has that value; how many. O(series).
uint32_t series_remove_where(SeriesSet *set, uint32_t at, Slice value);
// All of them, sorted by the texts of their labels; malloc'd. O(series × log series).
Series **series_sorted(const SeriesSet *set);
