// How much a pod matters: the number that kube-scheduler goes by.
#pragma once

#include "model/objects.h"

// spec.priority, which admission fills in; of a pod that has not been through it (a workload's, in a manifest) that of
// its PriorityClass, 0 when it has none or nobody knows it. O(priority classes).
int32_t pod_priority(const Cluster *cluster, const Pod *pod);
