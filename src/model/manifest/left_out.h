// Pods that wait for a node and are not planned: whoever reads a plan misses them. Private to src/model/manifest.
#pragma once

#include "model/objects.h"

// Warns once for each reason, with the number of pods and the first of them. O(pods).
void left_out_check(Cluster *cluster);
