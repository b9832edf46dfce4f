// The priority of a pod, as kube-scheduler uses it.
#pragma once

#include "model/objects.h"

// spec.priority, which admission fills in. Without it (a pod of a workload in a manifest) the value of the pod's
// PriorityClass; 0 when it has none or the class is unknown. O(priority classes).
int32_t pod_priority(const Cluster *cluster, const Pod *pod);
// The value of the spec's PriorityClass; 0 when it has none or the class is unknown. O(priority classes).
int32_t pod_spec_priority(const Cluster *cluster, const PodSpec *spec);

// For qsort of int32_t: the highest priority first.
int pod_priority_compare(const void *a, const void *b);
