// Faults of a scenario.
#pragma once

#include "sim/scenario/run_parts.h"

// `on`: the fault begins, or is momentary; else it ends.
void run_fault(Run *run, const ScenarioFault *fault, bool on);

// "ice (instanceType m5.*, zone us-east-1a) for 45m"
Slice run_print_fault(Arena *arena, const ScenarioFault *fault);
