// What the cluster would cost at least.
#pragma once

#include "sim/scenario/run_parts.h"

// No set of nodes that holds the pods that want to run now costs less per hour. NAN: there is none. O(a solve).
double run_floor(Run *run);
