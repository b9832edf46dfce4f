// PodDisruptionBudgets of the State that cover a pod. What they allow: model/disruption_budget.h.
#pragma once

#include "state/state.h"

// Number of budgets that cover the pod, counted up to two, whatever they allow; ret_first is set when there is one.
// O(budgets of the namespace).
uint32_t pod_count_budgets(const State *state, const Pod *pod, Handle *ret_first);
