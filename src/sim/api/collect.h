// The garbage collector inside.
#pragma once

#include "sim/api/server.h"

// Works until nothing is left to do; whether there was anything.
bool collect_garbage(ApiServer *server);
