// Candidates of recent launches, for equal ones.
#pragma once

#include "sim/cloud/cloud_parts.h"
#include "sim/cloud/launch_parts.h"

void cloud_forget_asked(SimView *view);

// Fills `candidates` from the last launch with equal content and the same types, else by cloud_ask.
void cloud_ask_once(SimLaunch *launch);
