// Choice of the capacity pool for a launch.
#pragma once

#include "sim/cloud/launch_parts.h"

// Tries the candidates as EC2 would and makes the instance; returns its number. Marks pools without capacity as
// unavailable in the view. ERR_CAPACITY: no pool has capacity.
ErrCode cloud_give(SimLaunch *launch, uint32_t *ret_number, CloudError *error);
