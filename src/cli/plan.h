// `tenon plan` without its command line: texts in, a report out. Pure, except for measuring the time of the solve.
#pragma once

#include "base/buffer.h"
#include "disrupt/pass.h"

typedef enum { OUTPUT_TABLE, OUTPUT_WIDE, OUTPUT_JSON, OUTPUT_YAML } OutputFormat;

// A text and its origin, for messages ("pools.yaml", "-").
typedef struct {
    Slice file;
    Slice text;
} InputText;
typedef Vec(InputText) InputTextVec;

typedef struct {
    InputTextVec inputs;        // manifests, YAML or JSON
    InputText catalogue;        // --catalog; empty text: the embedded catalogues
    InputText scheduler_config; // --scheduler-config; empty text: none
    Slice region;               // --region; empty: that of nodes or pools, else us-east-1
    PreferencePolicy preferences;
    MinValuesPolicy min_values;
    Effort effort;
    uint32_t strategies; // --strategy, bits 1 << Strategy; 0: those of the effort
    int64_t budget_ns;   // --effort MILLISECONDS; 0: none
    OutputFormat format;
    bool compare;                // print the price of Karpenter's way of planning also for many pods
    Slice explain;               // --explain POD ("ns/name" or "name"); empty: none
    bool strict;                 // duplicate keys, unknown fields and pods that cannot be represented are errors
    bool timings;                // print to `messages` how long the parts of the solve took
    int64_t now_ns;              // for do-not-disrupt durations
    bool consolidate;            // say what becomes of the nodes that are there instead (cli/consolidate)
    bool respects_budgets;       // of them: only the next step, as the budgets of NodePools allow it
    Slice explain_node;          // of them: only about this node; empty: all
    uint32_t rounds;             // of them: how many steps at most; 0: CONSOLIDATE_ROUNDS
    Consolidation consolidation; // of them: the way to look for steps
    bool omit_times;             // solveMilliseconds is 0, so that equal input gives equal bytes
} PlanOptions;

enum { CONSOLIDATE_ROUNDS = 100 };

enum { EXIT_ALL_PLACED = 0, EXIT_BAD_INPUT = 2, EXIT_SOME_UNPLACED = 3 };

// Plans and prints: the report to `out`, warnings and errors (one line each) to `messages`. Returns the exit status.
// With EXIT_BAD_INPUT `out` is unchanged.
int plan_run(const PlanOptions *options, Buffer *out, Buffer *messages);
