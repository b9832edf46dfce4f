// What pods and claims name, held against what the input has.
#pragma once

#include "model/manifest/state.h"

// Warns of what the input does not hold. O(pods).
void references_check(Cluster *cluster);
