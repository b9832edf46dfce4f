// The checks of `tenon doctor`: a table of functions of facts.
//
// Whoever adds a check adds a row to checks.c and a line to docs/doctor.md; where its facts come from, manifests or a
// live cluster, is not its business. Reference legacy.md 1 and 7.
#pragma once

#include "doctor/facts.h"

typedef enum {
    CHECK_SKIPPED, // the facts that it is about were not given
    CHECK_GOOD,
    CHECK_WARNING,
    CHECK_ERROR,
} CheckStatus;

typedef struct {
    CheckStatus status; // warning or error
    FactPlace place;    // empty file: of nothing in particular
    Slice object;       // "Provisioner general"; empty: of none
    Slice text, fix;    // what is wrong; a command, or what to change
} Finding;
typedef Vec(Finding) FindingVec;

typedef struct {
    const char *id;
    CheckStatus status; // the worst of its findings
    const char *note;   // without findings: what is well, or what to give so that it can be looked at
    FindingVec findings;
} CheckResult;
typedef Vec(CheckResult) CheckResultVec;

// "ok", "warning", "error", "skipped"
const char *check_status_text(CheckStatus status);

// Runs all checks, in the order of the table. Pure. O(pools² × requirements + classes × terms × resources × tags).
void checks_run(Arena *arena, const Facts *facts, CheckResultVec *ret_results);
