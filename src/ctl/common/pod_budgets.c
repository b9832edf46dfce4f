// PodDisruptionBudgets that cover a pod. Behaviour: reference lifecycle.md 0.5.
#include "ctl/common/pod_budgets.h"

#include "model/disruption_budget.h"

uint32_t pod_count_budgets(const State *state, const Pod *pod, Handle *ret_first) {
    uint32_t count = 0;

    for (vec_each(const Handle, handle, state_budgets_in(state, pod->ns))) {
        if (!budget_covers_pod(state_pod_disruption_budget(state, *handle), pod))
            continue;
        if (count++)
            break;
        *ret_first = *handle;
    }
    return count;
}
