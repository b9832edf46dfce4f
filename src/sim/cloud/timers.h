// Timers of instances.
#pragma once

#include "sim/cloud/cloud_parts.h"

void cloud_set_timer(SimCloud *cloud, int64_t at_ns, TimerType type, uint32_t number);
int64_t cloud_draw(Random *random, SimSpan span, uint32_t percent); // uniform
