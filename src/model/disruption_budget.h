// PodDisruptionBudgets, applied to one pod: one budget, and all budgets that select the pod. Reference lifecycle.md
// 0.5.
//
// The eviction API refuses a pod that several budgets select, whatever they allow. The functions are for evictable pods
// (model/pod_predicates.h), and the answer is about one pod alone, not about several evictions at once.
#pragma once

#include "model/objects.h"

// Whether the budget selects the pod. O(expressions × log labels).
bool budget_covers_pod(const PodDisruptionBudget *budget, const Pod *pod);

// Whether a budget, the only one that covers the pod, refuses its eviction now: it allows no disruption. O(1).
bool budget_refuses_now(const PodDisruptionBudget *budget, const Pod *pod);

// Whether that budget always refuses: it never allows a disruption (maxUnavailable 0 or "0%", minAvailable "100%") and
// makes no exception for a pod that is not ready. O(1).
bool budget_refuses_for_good(const PodDisruptionBudget *budget, const Pod *pod);

// The budgets that cover one pod: how many there are, and the first. Two of them refuse whatever they allow.
typedef struct {
    const PodDisruptionBudget *first;
    uint32_t count;
} BudgetCover;

// Adds the budget if it covers the pod.
void budget_cover_add(BudgetCover *cover, const PodDisruptionBudget *budget, const Pod *pod);
// Whether they refuse the pod's eviction now, and always.
bool budget_cover_refuses_now(const BudgetCover *cover, const Pod *pod);
bool budget_cover_refuses_for_good(const BudgetCover *cover, const Pod *pod);

typedef Vec(const PodDisruptionBudget *) PodBudgetList;

// The budgets of a cluster by namespace: a pod asks those of its own alone.
typedef struct {
    IndexMap namespaces; // namespace to index into `lists`
    PodBudgetList *lists;
} BudgetIndex;

// O(budgets). Points to them.
BudgetIndex budget_index_make(Arena *arena, const PodDisruptionBudgetVec *budgets);
const PodBudgetList *budget_index_of(const BudgetIndex *index, Symbol ns);

// Whether the budgets always refuse the pod's eviction: several cover it, or one that always refuses. O(budgets of its
// namespace).
bool budgets_block_fully(const BudgetIndex *index, const Pod *pod);

// Whether the pod is reschedulable and free to move: neither do-not-disrupt nor a budget that always refuses protects
// it. O(budgets of its namespace).
bool pod_is_currently_reschedulable(const Pod *pod, const Symbols *symbols, const BudgetIndex *budgets, int64_t now_ns);
