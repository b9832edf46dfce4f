// What objects name and the input does not hold.
#pragma once

#include "model/objects.h"

// Warns of it: what kind is missing, who names the first, and what that means for the plan. O(pods).
void references_check(Cluster *cluster);
