// What a launch asks for.
#pragma once

#include "sim/cloud/launch_parts.h"

// Fills `candidates`: what one CreateFleet asks for, of one capacity type (KWOK: of all), in the order of types. None:
// there is nothing to ask for. O(types that the requirements allow × offerings).
void cloud_ask(SimLaunch *launch);
