// Complaints made.
#include "legacy/complain.h"

#include <stdarg.h>
#include <stdio.h>

Complaint *complain(const Judge *judge, Slice message, const char *path, ...) {
    Complaint *complaint = vec_add(judge->arena, judge->complaints);
    char text[512];
    va_list args;

    va_start(args, path);
    vsnprintf(text, sizeof text, path, args);
    va_end(args);
    complaint->message = message;
    vec_push(judge->arena, &complaint->paths, arena_slice(judge->arena, slice_of(text)));
    return complaint;
}

void complain_both(const Judge *judge, Slice first, Slice second) {
    Complaint *complaint = complain(judge, SLICE("expected exactly one, got both"), "%.*s", SLICE_ARG(first));

    vec_push(judge->arena, &complaint->paths, second);
}

Slice invalid_value(Arena *arena, Slice value) {
    return arena_printf(arena, "invalid value: %.*s", SLICE_ARG(value));
}

Slice invalid_key(Arena *arena, Slice key) {
    return arena_printf(arena, "invalid key name \"%.*s\"", SLICE_ARG(key));
}

bool text_is_one_of(Slice text, const char *const *texts) {
    while (*texts) {
        if (slice_eq_text(text, *texts++))
            return true;
    }
    return false;
}
