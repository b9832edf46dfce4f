// What watches tell the process, late or never as the faults want it.
#pragma once

#include "sim/controller/process_parts.h"

Relay process_relay(SimProcess *process);

// After process->partitioned was changed: events are held back, or go on.
void process_rearm_events(SimProcess *process);
void process_drop_events(SimProcess *process);
bool process_has_events(const SimProcess *process);
