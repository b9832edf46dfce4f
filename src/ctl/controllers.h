// The controllers of tenon, in the order in which they are told of changes.
#pragma once

#include "ctl/ctl.h"

// All of them. The engine is given this list.
extern const Controller *const controllers[];
extern const uint32_t controller_count;
