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
    uint32_t pod_count;
    double solve_milliseconds;
} Report;

void report_table(const Report *report, bool wide, Buffer *out);
// docs/plan-json.md
void report_json(const Report *report, Buffer *out);
// The NodeClaims as Karpenter would write them (scheduling.md 6.1), one document each.
void report_yaml(const Report *report, Buffer *out);
// Where one pod goes, or why it goes nowhere. ERR_NOT_FOUND: no such pod in the input.
ErrCode report_explain(const Report *report, Slice pod, Buffer *out, Err *err);

// How far a plan's price is above its floor, in percent; NAN: not known.
double report_gap_percent(const Plan *plan);

// "ns/name" of a pending pod.
Slice report_pod(const Report *report, uint32_t pod);
// Requirements as a list of {key, operator, values, minValues}.
Value report_requirements(const Report *report, const Requirements *requirements);
// Resources as a map of quantities, keys sorted by text.
Value report_resources(const Report *report, const Resources *resources);
