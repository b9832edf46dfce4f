// Lines of the report.
#pragma once

#include "sim/scenario/run_parts.h"

__attribute__((format(printf, 4, 5))) void run_note(Run *run, RunEntryType type, uint32_t line, const char *format,
                                                    ...);
