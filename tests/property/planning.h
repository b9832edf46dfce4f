// Planning a case in this process, as `tenon plan -o json` would.
#pragma once

#include "checker/check_plan.h"
#include "cli/plan.h"

typedef struct {
    Slice manifests, catalog; // JSON
    CheckOptions options;
    Effort effort;
    uint32_t strategies; // 0: those of the effort
    int64_t budget_ns;   // of EFFORT_BEST; 0: steps
    bool weigh;          // preferences are weighed, whatever the options say
} CasePlanning;

// Writes the plan to `out`, errors to `messages`, after emptying both. Returns the exit status of the program.
int case_plan(const CasePlanning *planning, Buffer *out, Buffer *messages);
// Parses the only document of a JSON text. False: not one document.
bool case_parse_json(Arena *arena, Slice text, Value *ret_value);
