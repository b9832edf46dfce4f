// Printing measurements: one line per case, as tab-separated values, as a JSON list, or as a table for people (without
// the phases of the solve).
#pragma once

#include "measure.h"

// The bits of a comma-separated list of such names. ERR_INVALID.
ErrCode strategies_parse(Slice text, uint32_t *ret_bits, Err *err);

typedef enum { REPORT_TSV, REPORT_JSON, REPORT_TABLE } ReportFormat;

// Prints as it goes: begin, one case after the other (err: the case has no measurement, and why), end.
void report_begin(ReportFormat format, bool with_header);
void report_case(ReportFormat format, const char *effort, const BenchCase *of, uint32_t pods,
                 const Measurement *measurement, const Err *err, bool first);
void report_end(ReportFormat format);
