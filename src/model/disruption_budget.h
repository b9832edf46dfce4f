// What PodDisruptionBudgets say about a pod, budget by budget and over those that select it. Reference lifecycle.md
// 0.5.
//
// The eviction API refuses a pod that more than one budget selects, whatever they say. Only evictable pods are asked
// about (model/pod_predicates.h); the answer is about each pod alone, not about several at once.
#pragma once

#include "model/objects.h"

// Whether the budget selects the pod. O(expressions × log labels).
bool budget_covers_pod(const PodDisruptionBudget *budget, const Pod *pod);

// Whether a budget, the only one that covers the pod, refuses its eviction now: it has no disruption left. O(1).
bool budget_refuses_now(const PodDisruptionBudget *budget, const Pod *pod);

// Whether it refuses for good: it never allows a disruption (maxUnavailable 0 or "0%", minAvailable "100%") and makes
// no exception for a pod that is not ready. O(1).
bool budget_refuses_for_good(const PodDisruptionBudget *budget, const Pod *pod);

// Whether the budgets of a cluster forbid for good that the pod is evicted: more than one covers it, or the one that
// does refuses for good. O(budgets).
bool budgets_block_fully(const Cluster *cluster, const Pod *pod);

// Reschedulable, and nothing keeps the pod where it is now: neither do-not-disrupt nor a budget that blocks fully.
// O(budgets).
bool pod_is_currently_reschedulable(const Pod *pod, const Cluster *cluster, int64_t now_ns);
