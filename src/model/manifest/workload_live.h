// The pods that a workload has already.
#pragma once

#include "model/manifest/workload_expand.h"

// The workload of that identity, or INDEX_NONE. O(1).
uint32_t expander_find(const Expander *expander, WorkloadKind kind, Symbol ns, Symbol name);

// Fills `expansions`: which Deployment owns which ReplicaSet, and how many pods each workload has. O(workloads + pods).
void expander_count_live(Expander *expander);

// How many pods the controller of a workload would still make.
uint32_t expander_missing(const Expander *expander, uint32_t workload);
