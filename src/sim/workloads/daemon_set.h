// Internals of the DaemonSet controller.
#pragma once

#include "sim/workloads/workload.h"

// Whether a pod of the set should run on the node, and whether a running one may stay (NoSchedule taints do not end
// it). O(terms × labels + taints × tolerations).
typedef struct {
    bool wanted, allowed;
} DaemonVerdict;
DaemonVerdict daemon_verdict(const Symbols *symbols, const DaemonSet *set, Symbol node_name, const Node *node);

// A pod for that node: with node affinity by name, and the controller's other additions.
Value daemon_pod(const SimWorkload *set, Arena *arena, Slice node_name);

// Handles changes of Nodes and DaemonSets in the mirror.
void daemon_sets_observe(SimWorkloads *workloads, const StateChange *change);
