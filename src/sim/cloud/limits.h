// Limits of the cloud's API.
#pragma once

#include "sim/cloud/cloud_parts.h"

// A call of the API: whether it is let through. `key` of calls that may be one with others of the same key; 0: alone.
ErrCode cloud_limit_call(SimCloud *cloud, SimApi api, uint64_t key, CloudError *error);
