// Any text as a duration and as a time. What is read prints and reads back.
#include "base/time.h"
#include "support/fuzz.h"

#include "text/duration.h"

static void check_duration(Arena *arena, Slice text) {
    int64_t ns, again;

    if (duration_parse(text, &ns, &(Err){0}) == OK)
        CHECK(duration_parse(duration_print(arena, ns), &again, NULL) == OK && again == ns);
}

static void check_time(Arena *arena, Slice text) {
    int64_t ns, again;

    if (time_parse(text, &ns, &(Err){0}) != OK || ns < INT64_MIN + NS_PER_S)
        return;
    CHECK(time_parse(time_print(arena, ns), &again, NULL) == OK);
    CHECK(again <= ns && ns - again < NS_PER_S && again % NS_PER_S == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    Slice text = {(const char *)bytes, size};
    Arena arena = {0};

    check_duration(&arena, text);
    check_time(&arena, text);
    arena_free(&arena);
    return 0;
}
