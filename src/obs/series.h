// Series of one metric, one per combination of label values. Private to src/obs.
#pragma once

#include "obs/metrics.h"
#include "obs/sketch.h"

typedef struct {
    uint64_t hash;
    double value;     // of a counter or gauge; of the others the sum of observations
    uint64_t count;   // number of observations
    uint64_t *counts; // histogram: per bucket, the last one is +Inf; not cumulative
    Sketch *sketch;   // summary
    uint32_t label_count;
    Slice labels[]; // values, followed by their bytes
} Series;

// A hash set with removal: open addressing, at most 3/4 full. {0} is a valid empty set. On the heap.
typedef struct {
    Series **slots;
    uint32_t capacity, count;
} SeriesSet;

void series_set_free(SeriesSet *set);
// The series of these labels; NULL: none. O(bytes of the labels).
Series *series_find(const SeriesSet *set, const Slice *labels, uint32_t count);
// Adds a zeroed series; there must be none with these labels.
Series *series_add(SeriesSet *set, const MetricInfo *info, const Slice *labels);
// Removes the series whose label `at` has that value; returns their number. O(series).
uint32_t series_remove_where(SeriesSet *set, uint32_t at, Slice value);
// All series sorted by the texts of their labels; malloc'd. O(series × log series).
Series **series_sorted(const SeriesSet *set);
