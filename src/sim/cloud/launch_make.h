// The instance that a launch makes.
#pragma once

#include "sim/cloud/launch_parts.h"

// The instance of a candidate; its number.
uint32_t cloud_make_instance(const SimLaunch *launch, const LaunchCandidate *candidate);
