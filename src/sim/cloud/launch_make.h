// Making the instance of a launch.
#pragma once

#include "sim/cloud/launch_parts.h"

// Makes the instance of a candidate; returns its number.
uint32_t cloud_make_instance(const SimLaunch *launch, const LaunchCandidate *candidate);
// Sets capacity and allocatable of an instance of the type, which is in the view's symbols.
void cloud_instance_size(SimView *view, const InstanceType *type, const Offering *offering, SimInstance *shown);
