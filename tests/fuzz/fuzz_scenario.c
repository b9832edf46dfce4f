// Any text as scenarios: mistakes are reported with their position.
#include "support/fuzz.h"

#include "sim/scenario/scenario.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    Arena arena = {0};
    ScenarioVec scenarios = {0};
    Err err = {0};

    if (scenario_read(&arena, SLICE("fuzz.yaml"), (Slice){(const char *)bytes, size}, NULL, &scenarios, &err) != OK)
        CHECK(err.text[0]);
    for (vec_each(const Scenario, scenario, &scenarios))
        CHECK(scenario->name.len && scenario->duration_ns > 0);
    arena_free(&arena);
    return 0;
}
