// Events and conditions about pods.
#pragma once

#include "sim/scheduler/parts.h"

// Writes the condition of a pod that could not be scheduled (report.c).
void scheduler_report_failure(Scheduler *scheduler, uint32_t slot, const char *reason, Slice message);

// Writes a nomination; `node` NAME_EMPTY removes it.
void scheduler_report_nomination(Scheduler *scheduler, uint32_t slot, Symbol node);
void scheduler_delete_victim(Scheduler *scheduler, uint32_t slot);
