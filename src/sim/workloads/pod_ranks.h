// Order in which a ReplicaSet deletes surplus pods.
#pragma once

#include "sim/workloads/workload.h"

// Fills `pods` with the set's active pods in that order. O(n log n).
void workload_rank_pods(SimWorkload *set, Arena *arena, HandleVec *pods);
