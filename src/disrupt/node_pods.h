// The pods on each node, and whether one of them keeps its node from being disrupted. Reference lifecycle.md 0.5, 4.3.
#pragma once

#include "disrupt/facts.h"
#include "model/disruption_budget.h"

typedef Vec(const Pod *) BoundPods;

typedef struct {
    BoundPods *pods;         // for each of facts->nodes: those that are bound to it and not terminal
    const uint32_t *node_of; // for each pod of the cluster: the index of that node, or INDEX_NONE
    BudgetIndex budgets;
} NodePods;

// O(pods + nodes + budgets).
NodePods node_pods_make(Arena *arena, const DisruptFacts *facts);

// Why the pods of a node keep it from being disrupted, as the event DisruptionBlocked says it; empty: they do not. The
// first pod with do-not-disrupt in force comes before the first that a PodDisruptionBudget protects now.
// O(pods × budgets of their namespaces).
Slice node_pods_block(Arena *arena, const DisruptFacts *facts, const NodePods *node_pods, uint32_t node);

// When the last of the do-not-disrupt durations of its pods ends, ns since 1970; INT64_MAX: none is in force, or one of
// them never ends. O(pods).
int64_t node_pods_kept_until_ns(const DisruptFacts *facts, const NodePods *node_pods, uint32_t node);
