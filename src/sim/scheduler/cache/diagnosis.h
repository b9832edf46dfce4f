// Messages why no node fits, as kube-scheduler prints them.
#pragma once

#include "sim/scheduler/cache/parts.h"

// Adds the reason of a node. To be called while the cluster is as it was when the node was refused.
void cache_diagnosis_add(CacheDiagnosis *diagnosis, const CacheTrial *trial, uint32_t node, CacheReason reason);

// "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) …."
Slice cache_diagnosis_print(Arena *arena, SchedulerCache *cache, const CacheDiagnosis *diagnosis);
