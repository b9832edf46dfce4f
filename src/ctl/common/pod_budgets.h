// PodDisruptionBudgets of the State, applied to one pod. Behaviour: reference lifecycle.md 0.5.
//
// Only pods for which the eviction API would be called (pod_is_evictable) can be blocked; for all others the functions
// say that nothing blocks. The answer is about one pod alone, not about several evictions at once.
#pragma once

#include "state/state.h"

// Whether the eviction API would refuse the pod now: more than one budget covers it, or the one that does allows no
// disruption. ret_budget (may be NULL, set only when true): one of the budgets that block. O(budgets of the namespace).
bool pod_is_blocked_by_budget(const State *state, const Pod *pod, int64_t now_ns, Handle *ret_budget);

// Whether the eviction API would always refuse the pod: more than one budget covers it, or one that never allows a
// disruption (maxUnavailable 0 or 0%, minAvailable 100%). O(budgets of the namespace).
bool pod_is_blocked_fully_by_budget(const State *state, const Pod *pod, int64_t now_ns);

// Number of budgets that cover the pod, counted up to two, whatever they allow; ret_first is set when there is one.
// O(budgets of the namespace).
uint32_t pod_count_budgets(const State *state, const Pod *pod, Handle *ret_first);

// Whether the pod is reschedulable and free to move: neither do-not-disrupt nor a budget that always refuses protects
// it. This is pod_is_currently_reschedulable (model/disruption_budget.h) over the State.
bool pod_is_reschedulable_now(const State *state, const Pod *pod, int64_t now_ns);
