// The planner's library call, and JSON back.
#include "planning.h"

#include "text/json.h"

int case_plan(const CasePlanning *planning, Buffer *out, Buffer *messages) {
    PlanOptions options = {.format = OUTPUT_JSON, .omit_times = true};
    Arena arena = {0};
    int status;

    vec_push(&arena, &options.inputs, (InputText){SLICE("manifests.json"), planning->manifests});
    options.catalogue = (InputText){SLICE("catalog.json"), planning->catalog};
    options.preferences = planning->options.ignore_preferences ? PREFERENCES_IGNORE : PREFERENCES_RESPECT;
    if (planning->weigh)
        options.preferences = PREFERENCES_WEIGH;
    options.min_values = planning->options.best_effort_min_values ? MIN_VALUES_BEST_EFFORT : MIN_VALUES_STRICT;
    options.strategies = planning->strategies;
    options.effort = planning->effort;
    options.budget_ns = planning->budget_ns;
    out->len = messages->len = 0;
    status = plan_run(&options, out, messages);
    arena_free(&arena);
    return status;
}

bool case_parse_json(Arena *arena, Slice text, Value *ret_value) {
    ParseOptions options = {0};
    WarningVec warnings = {0};
    DocumentVec documents = {0};
    Err err;

    if (json_parse(arena, SLICE("text"), text, &options, &documents, &warnings, &err) != OK || documents.count != 1)
        return false;
    *ret_value = documents.items[0].root;
    return true;
}
