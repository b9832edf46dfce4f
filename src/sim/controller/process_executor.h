// Executor: runs jobs at virtual times.
#pragma once

#include "sim/controller/process_parts.h"

Executor process_executor(SimProcess *process);

// Drops the jobs of a process that dies: each call under way has happened or not, at random.
void process_drop_jobs(SimProcess *process);
