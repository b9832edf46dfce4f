// Lines of the report, as they happen.
#include "sim/scenario/run_note.h"

#include <stdarg.h>
#include <stdio.h>

void run_note(Run *run, RunEntryType type, uint32_t line, const char *format, ...) {
    char text[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    run->failed += type == RUN_EXPECTATION_FAILED || type == RUN_REFUSED;
    vec_push(
        &run->arena, &run->entries,
        (RunEntry){type, world_now_ns(run->world) - run->start_ns, line, arena_slice(&run->arena, slice_of(text))});
}
