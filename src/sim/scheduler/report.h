// Events and conditions about pods.
#pragma once

#include "sim/scheduler/parts.h"

// report.c: writes that are for others to read.
void scheduler_report_failure(Scheduler *scheduler, uint32_t slot, const char *reason, Slice message);

// `node`: NAME_EMPTY takes the nomination back.
void scheduler_report_nomination(Scheduler *scheduler, uint32_t slot, Symbol node);
void scheduler_delete_victim(Scheduler *scheduler, uint32_t slot);
