// `tenon plan` without its command line: texts in, a report out. Pure but for the time that a solve takes.
#pragma once

#include "base/buffer.h"
#include "sched/plan.h"

typedef enum { OUTPUT_TABLE, OUTPUT_WIDE, OUTPUT_JSON, OUTPUT_YAML } OutputFormat;

// A text and where it came from, for messages ("pools.yaml", "-").
typedef struct {
    Slice file;
    Slice text;
} InputText;
typedef Vec(InputText) InputTextVec;

typedef struct {
    InputTextVec inputs;        // manifests, YAML or JSON
    InputText catalogue;        // --catalog; empty text: the catalogues inside
    InputText scheduler_config; // --scheduler-config; empty text: none
    Slice region;               // --region; empty: that of the nodes or pools, else us-east-1
    PreferencePolicy preferences;
    MinValuesPolicy min_values;
    Effort effort;
    uint32_t strategies; // --strategy, bits 1 << Strategy; 0: those of the effort
    int64_t budget_ns;   // --effort MILLISECONDS; 0: none
    OutputFormat format;
    bool compare;    // also with many pods: what they would cost in Karpenter's manner
    Slice explain;   // --explain POD ("ns/name" or "name"); empty: none
    bool strict;     // duplicate keys, unknown fields and pods that cannot be read are errors
    bool timings;    // to `messages`: where the time of the solve went
    int64_t now_ns;  // for do-not-disrupt durations
    bool omit_times; // solveMilliseconds is 0, so that equal input gives equal bytes
} PlanOptions;

enum { EXIT_ALL_PLACED = 0, EXIT_BAD_INPUT = 2, EXIT_SOME_UNPLACED = 3 };

// Plans and prints: the report to `out`, warnings and errors (one line each) to `messages`. Returns the exit status.
// On EXIT_BAD_INPUT `out` is untouched.
int plan_run(const PlanOptions *options, Buffer *out, Buffer *messages);
