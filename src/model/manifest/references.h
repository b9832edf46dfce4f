// References to objects that the input does not contain.
#pragma once

#include "model/objects.h"

// Adds warnings for them: the missing kind, the first object that refers to it, and the effect on the plan. O(pods).
void references_check(Cluster *cluster);
