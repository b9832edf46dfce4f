// PodDisruptionBudgets: which ones hold a pod. Reference lifecycle.md 0.5.
#pragma once

#include "model/objects.h"

// Whether budgets forbid for good that the pod is evicted: more than one selects it (the eviction API refuses that), or
// the one that does never allows a disruption (maxUnavailable 0 or "0%", minAvailable "100%") and makes no exception
// for a pod that is not ready. O(budgets).
bool budgets_block_fully(const Cluster *cluster, const Pod *pod);
