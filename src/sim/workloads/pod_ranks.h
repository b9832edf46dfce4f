// Which pods of a ReplicaSet go first.
#pragma once

#include "sim/workloads/workload.h"

// Which pods of a ReplicaSet go first: fills `pods` with its active ones in that order. O(n log n).
void workload_rank_pods(SimWorkload *set, Arena *arena, HandleVec *pods);
