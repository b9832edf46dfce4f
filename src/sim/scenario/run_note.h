// Timeline entries of the report.
#pragma once

#include "sim/scenario/run_parts.h"

__attribute__((format(printf, 4, 5))) void run_note(Run *run, RunEntryType type, uint32_t line, const char *format,
                                                    ...);

// "Pod default/web-1"
Slice run_describe(Arena *arena, KubeRef ref);

// Adds an entry that the API server refused a step, and why.
void run_refuse(Run *run, const ScenarioStep *step, const char *what, KubeRef ref, const KubeError *error);
