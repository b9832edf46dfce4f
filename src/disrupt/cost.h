// What it costs to disrupt pods and nodes, in Karpenter's unit: an ordinary pod is 1. Reference lifecycle.md 0.6,
// changes.md 4.1.
#pragma once

#include "model/objects.h"

// The words that a pod has for its cost, and which of them counts.
typedef struct {
    bool managed; // gate PodDeletionCostManagement: pod-deletion-cost is tenon's own, and is not read
} CostRules;

// Of evicting the pod: 1 + cost / 2^27 + priority / 2^25, from -10 to 10. `cost` is the annotation
// karpenter.sh/disruption-cost, or where that is absent controller.kubernetes.io/pod-deletion-cost, if somebody else
// wrote it; 0 when it is no whole number of 32 bits.
double pod_eviction_cost(const Pod *pod, const Symbols *symbols, CostRules rules);

// False: the annotation that counts is no such number; somebody should be told ("failed parsing disruption cost").
bool pod_cost_is_readable(const Pod *pod, const Symbols *symbols, CostRules rules);

// Of a node whose pods go elsewhere: 1 + Σ positive costs of its reschedulable pods. `pods`: those on the node.
double node_reschedule_cost(const Pod *const *pods, uint32_t count, const Symbols *symbols, CostRules rules);

// No reschedulable pod with a positive cost is on the node.
static inline bool reschedule_cost_is_empty(double cost) {
    return cost <= 1;
}

// The part of its life that a claim has left, from 1 to 0; 1 when it does not expire.
double claim_lifetime_left(const NodeClaim *claim, int64_t wall_ns);
