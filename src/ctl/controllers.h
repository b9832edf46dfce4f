// All controllers of tenon, in the order in which they observe changes.
#pragma once

#include "ctl/ctl.h"

// The list that the engine runs.
extern const Controller *const controllers[];
extern const uint32_t controller_count;
