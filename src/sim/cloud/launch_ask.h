// Candidates of a launch.
#pragma once

#include "sim/cloud/launch_parts.h"

// Fills `candidates`: the offerings that one CreateFleet requests, of one capacity type (KWOK: of all), in the order of
// types. Empty: there is nothing to request. O(types that the requirements allow × offerings).
void cloud_ask(SimLaunch *launch);
