// Timeline entries of the report.
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

Slice run_describe(Arena *arena, KubeRef ref) {
    return arena_printf(arena, "%.*s %.*s%s%.*s", SLICE_ARG(kube_kind(ref.kind)->kind), SLICE_ARG(ref.ns),
                        ref.ns.len ? "/" : "", SLICE_ARG(ref.name));
}

void run_refuse(Run *run, const ScenarioStep *step, const char *what, KubeRef ref, const KubeError *error) {
    run_note(run, RUN_REFUSED, step->line, "%s %.*s: %s", what, SLICE_ARG(run_describe(&run->arena, ref)),
             error->err.text);
}
