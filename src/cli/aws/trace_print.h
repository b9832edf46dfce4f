// Requests to EC2 for people and programs. The fields are those of the form that is sent, taken from it.
#pragma once

#include "base/buffer.h"
#include "base/vec.h"
#include "cloud/aws/trace/trace.h"

typedef struct {
    const Symbols *symbols;
    const LaunchTrace *trace;
    Slice claim, class, region;
    SliceVec assumed, warnings; // a sentence each
} TraceReport;

// O(requests).
void trace_print_text(Buffer *out, const TraceReport *report);
void trace_print_json(Buffer *out, const TraceReport *report);
