// The forms in which a plan is shown.
#pragma once

#include "cli/plan.h"
#include "text/value.h"

// What the printers share.
typedef struct {
    Arena *arena;
    const PlanOptions *options;
    const PlanInput *input;
    const Plan *plan;
    const Plan *imitation; // of the same input in Karpenter's manner; NULL: not made
    Slice price_source;    // in words
    uint32_t pod_count;
    double solve_milliseconds;
} Report;

void report_table(const Report *report, bool wide, Buffer *out);
// docs/plan-json.md
void report_json(const Report *report, Buffer *out);
// The NodeClaims as Karpenter would write them (scheduling.md 6.1), one document each.
void report_yaml(const Report *report, Buffer *out);
// Where one pod goes, or why it goes nowhere, in the form of the options. ERR_NOT_FOUND: no such pod in the input.
ErrCode report_explain(const Report *report, Slice pod, Buffer *out, Err *err);

// How far a plan's price is above its floor, in percent; NAN: not known.
double report_gap_percent(const Plan *plan);

// Whether a price in the plan's sum is an estimate.
bool report_is_estimated(const Plan *plan);

// A symbol's text as it is, and with what could hurt a terminal escaped.
Slice report_text(const Report *report, Symbol symbol);
Slice report_shown(const Report *report, Symbol symbol);

// "ns/name" of a pending pod, as it is.
Slice report_pod(const Report *report, uint32_t pod);
// Requirements as a list of {key, operator, values, minValues}.
Value report_requirements(const Report *report, const Requirements *requirements);
// What a launch is expected to give.
Value report_choice(const Report *report, const PlannedClaim *claim);
// Resources as a map of quantities, keys sorted by text.
Value report_resources(const Report *report, const Resources *resources);
