// Jobs at virtual moments.
#pragma once

#include "sim/controller/process_parts.h"

Executor process_executor(SimProcess *process);

// What is under way when the process dies: each call has happened or not, as drawn. Nothing is left.
void process_drop_jobs(SimProcess *process);
