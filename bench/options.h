// The command line of tenon-bench.
#pragma once

#include "measure.h"
#include "report.h"

typedef struct {
    Slice cases; // comma-separated names; empty: all
    U32Vec pods; // sizes to run each case at; none: the case's own
    CaseOptions of_case;
    MeasureOptions measure;
    const char *effort; // as written
    ReportFormat format;
    const char *manifests; // --write-manifests: a folder to write to instead of solving; NULL: solve
    bool no_header, list, help;
} BenchOptions;

// ERR_INVALID: the text says what was expected. Vectors live in `arena`.
ErrCode options_take(Arena *arena, int argc, char **argv, BenchOptions *ret_options, Err *err);
void options_print_help(void);
