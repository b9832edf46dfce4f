// The parts of the DaemonSet controller.
#pragma once

#include "sim/workloads/workload.h"

// Whether a pod of the set shall run on the node, and whether one that runs there may stay (taints of effect NoSchedule
// do not drive it away). O(terms × labels + taints × tolerations).
typedef struct {
    bool wanted, allowed;
} DaemonVerdict;
DaemonVerdict daemon_verdict(const Symbols *symbols, const DaemonSet *set, Symbol node_name, const Node *node);

// A pod for that node: node affinity by name, and what else the controller adds.
Value daemon_pod(const SimWorkload *set, Arena *arena, Slice node_name);

// Nodes and DaemonSets of the mirror, for the places of DaemonSets.
void daemon_sets_observe(SimWorkloads *workloads, const StateChange *change);
