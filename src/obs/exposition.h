// The text that Prometheus reads (exposition format 0.0.4): families, one after the other, each with its samples.
#pragma once

#include "obs/metrics.h"

#define EXPOSITION_CONTENT_TYPE "text/plain; version=0.0.4; charset=utf-8"

// What is being written: a page, and the family that its samples belong to.
typedef struct {
    Buffer *page;
    MetricInfo info;
    bool has_head; // of the family: comes with its first sample, so that an empty one leaves nothing
} Exposition;

void exposition_begin(Exposition *out, Buffer *page, MetricId id);
// One sample of a counter or gauge. `labels` are as many values as the metric has labels. O(bytes).
void exposition_sample(Exposition *out, const Slice *labels, double value);
// A sample of a histogram or summary: `suffix` ("_bucket", "_sum", "_count" or ""), and one more label ("le",
// "quantile"; NULL: none).
void exposition_part(Exposition *out, const char *suffix, const Slice *labels, const char *more, double more_value,
                     double value);
// A number as Prometheus writes it: the shortest text that reads back the same; NaN, +Inf, -Inf.
void exposition_number(Buffer *page, double value);
