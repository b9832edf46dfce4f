// The garbage collector of the embedded API server.
#pragma once

#include "sim/api/server.h"

// Works until nothing is left to do; returns whether there was anything.
bool collect_garbage(ApiServer *server);
