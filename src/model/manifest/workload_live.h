// Existing pods of workloads.
#pragma once

#include "model/manifest/workload_expand.h"

// The workload of that identity, or INDEX_NONE. O(1).
uint32_t expander_find(const Expander *expander, WorkloadKind kind, Symbol ns, Symbol name);

// Fills `expansions`: the ReplicaSets of each Deployment, and the number of pods of each workload. O(workloads + pods).
void expander_count_live(Expander *expander);

// Number of pods that the workload's controller would make.
uint32_t expander_missing(const Expander *expander, uint32_t workload);
