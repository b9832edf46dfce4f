// `tenon doctor` without its command line: texts, or a live cluster, in, a report out. Pure with
// texts.
#pragma once

#include "cli/doctor/live.h"
#include "cli/plan.h"

typedef struct {
    const LiveOptions *live; // NULL: the inputs are looked at alone
    InputTextVec inputs;     // manifests, dumps, answers of the aws command line; Terraform by its name ("main.tf")
    bool json;               // else text
    bool strict;             // warnings count as errors
} DoctorOptions;

enum { EXIT_HEALTHY = 0, EXIT_SICK = 1 };

// Prints the report to `out`, an error (one line) to `messages`. Returns EXIT_HEALTHY, EXIT_SICK (a check found an
// error), or EXIT_BAD_INPUT, with which `out` is unchanged.
int doctor_run(const DoctorOptions *options, Buffer *out, Buffer *messages);
