// Any text as a scheduler configuration.
#include "sched/input/default_spread_read.h"
#include "support/fuzz.h"

#include "model/names.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    DefaultSpread spread = {0};
    Arena arena = {0};
    Symbols symbols;

    names_init(&symbols);
    if (default_spread_read(&arena, &symbols, SLICE("fuzz.yaml"), (Slice){(const char *)bytes, size}, &spread,
                            &(Err){0}) != OK)
        CHECK(spread.constraints.count == 0);
    symbols_free(&symbols);
    arena_free(&arena);
    return 0;
}
