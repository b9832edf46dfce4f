// Which pool a launch gets.
#pragma once

#include "sim/cloud/launch_parts.h"

// Tries the candidates as EC2 would; the number of the new instance. Marks the view's memory where there was nothing.
// ERR_CAPACITY: nothing anywhere.
ErrCode cloud_give(SimLaunch *launch, uint32_t *ret_number, CloudError *error);
