// Lower bound of the cluster's price.
#pragma once

#include "sim/scenario/run_parts.h"

// Lower bound of the hourly price of nodes for all pods that want to run now. NAN: none is known. O(a solve).
double run_floor(Run *run);
