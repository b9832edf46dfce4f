// Exposition: Prometheus' text format (version 0.0.4), metric families one after the other, each with its samples.
#pragma once

#include "obs/metrics.h"

#define EXPOSITION_CONTENT_TYPE "text/plain; version=0.0.4; charset=utf-8"

// The page being written, and the family of the following samples.
typedef struct {
    Buffer *page;
    MetricInfo info;
    bool has_head; // HELP and TYPE were written; they precede the first sample, so that a family without samples leaves
                   // nothing
} Exposition;

void exposition_begin(Exposition *out, Buffer *page, MetricId id);
// Writes a sample of a counter or gauge. `labels`: one value per label of the metric. O(bytes).
void exposition_sample(Exposition *out, const Slice *labels, double value);
// Writes a sample of a histogram or summary: `suffix` is "_bucket", "_sum", "_count" or "", `more` an additional label
// ("le", "quantile"; NULL: none).
void exposition_part(Exposition *out, const char *suffix, const Slice *labels, const char *more, double more_value,
                     double value);
// Formats a number as Prometheus does: the shortest text that reads back as the same number; NaN, +Inf, -Inf.
void exposition_number(Buffer *page, double value);
