// What watches tell the process, late or never as the faults want it.
#pragma once

#include "sim/controller/process_parts.h"

Relay process_relay(SimProcess *process);

// After process->partitioned was changed: news are held back, or go on.
void process_rearm_news(SimProcess *process);
void process_drop_news(SimProcess *process);
bool process_has_news(const SimProcess *process);
