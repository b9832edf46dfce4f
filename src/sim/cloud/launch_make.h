// Making the instance of a launch.
#pragma once

#include "sim/cloud/launch_parts.h"

// Makes the instance of a candidate; returns its number.
uint32_t cloud_make_instance(const SimLaunch *launch, const LaunchCandidate *candidate);
