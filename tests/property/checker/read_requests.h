// Effective requests of pods.
#pragma once

#include "checker/read.h"

// Requests of a pod with `pods`: 1. `status` may be NULL. ERR_INVALID: a quantity that is none.
ErrCode judge_read_requests(World *world, const Value *spec, const Value *status, Amounts *ret_requests, Err *err);
