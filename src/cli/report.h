// Report: a plan's output formats.
#pragma once

#include "cli/plan.h"
#include "text/value.h"

// Input of the printers.
typedef struct {
    Arena *arena;
    const PlanOptions *options;
    const PlanInput *input;
    const Plan *plan;
    const Plan *imitation; // plan of the same input made in Karpenter's way; NULL: not made
    Slice price_source;    // in words
    uint32_t pod_count;
    double solve_milliseconds;
} Report;

void report_table(const Report *report, bool wide, Buffer *out);
// The format of docs/plan-json.md.
void report_json(const Report *report, Buffer *out);
// The NodeClaims as Karpenter would write them (scheduling.md 6.1), one document each.
void report_yaml(const Report *report, Buffer *out);
// Explains where one pod is placed, or why nowhere, in the format of the options. ERR_NOT_FOUND: no such pod in the
// input.
ErrCode report_explain(const Report *report, Slice pod, Buffer *out, Err *err);

// Preferred rules that were weighed (--preference-policy Weigh): those left out, or all; as a list of groups of pods;
// of one pod, as lines and as a list.
void report_preferences_table(const Report *report, bool wide, Buffer *out);
Value report_preferences(const Report *report);
void report_explain_preferences(const Report *report, uint32_t pod, Buffer *out);
Value report_pod_preferences(const Report *report, uint32_t pod);

enum { REPORT_WIDTH = 100 }; // columns of a table

// Prints a text wrapped at spaces to that width, each line with an indentation.
void report_wrapped(Buffer *out, const char *indent, Slice text);

// How far the plan's price is above its lower bound, in percent; NAN: unknown.
double report_gap_percent(const Plan *plan);

// Whether the plan's price includes an estimate.
bool report_is_estimated(const Plan *plan);

// A symbol's text; and the same with everything escaped that could harm a terminal.
Slice report_text(const Report *report, Symbol symbol);
Slice report_shown(const Report *report, Symbol symbol);

// "ns/name" of a pending pod, not escaped.
Slice report_pod(const Report *report, uint32_t pod);
// Requirements as a list of {key, operator, values, minValues}.
Value report_requirements(const Report *report, const Requirements *requirements);
// The offering that a launch is expected to get.
Value report_choice(const Report *report, const PlannedClaim *claim);
// Resources as a map of quantities, keys sorted by text.
Value report_resources(const Report *report, const Resources *resources);
