// Watch events on their way to the process: delayed, or held back by faults.
#pragma once

#include "sim/controller/process_parts.h"

Relay process_relay(SimProcess *process);

// To be called after process->partitioned changed: events are held back, or delivered again.
void process_rearm_events(SimProcess *process);
void process_drop_events(SimProcess *process);
bool process_has_events(const SimProcess *process);
