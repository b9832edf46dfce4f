// What PodDisruptionBudgets say about a pod, of the State. Reference lifecycle.md 0.5.
//
// Only evictable pods are asked about: whether the eviction API would be called at all is pod_is_evictable, and the
// functions here let all other pods pass. The answer is about each pod alone, not about several at once.
#pragma once

#include "state/state.h"

// Whether the eviction API would refuse now: more than one budget covers the pod, or the one that does has no
// disruption left. ret_budget (may be NULL, set only when true): one of those that block. O(budgets of the namespace).
bool pod_is_blocked_by_budget(const State *state, const Pod *pod, int64_t now_ns, Handle *ret_budget);

// Whether it would refuse for good: more than one budget, or one that never allows anything (maxUnavailable 0 or 0%,
// minAvailable 100%). O(budgets of the namespace).
bool pod_is_blocked_fully_by_budget(const State *state, const Pod *pod, int64_t now_ns);

// How many budgets cover the pod, counted to two, whatever they say; ret_first is set when there is one. O(budgets of
// the namespace).
uint32_t pod_count_budgets(const State *state, const Pod *pod, Handle *ret_first);

// Reschedulable, and nothing keeps it where it is: neither do-not-disrupt nor a budget that blocks fully. The State's
// pod_is_currently_reschedulable (model/disruption_budget.h).
bool pod_is_reschedulable_now(const State *state, const Pod *pod, int64_t now_ns);
