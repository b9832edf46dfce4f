// Rate limits of the cloud's API.
#pragma once

#include "sim/cloud/cloud_parts.h"

// Counts a call of the API and returns whether it succeeds. Calls with the same `key` may be merged; 0: never.
ErrCode cloud_limit_call(SimCloud *cloud, SimApi api, uint64_t key, CloudError *error);
