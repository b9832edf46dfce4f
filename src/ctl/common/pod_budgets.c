// PodDisruptionBudgets that cover a pod. Behaviour: reference lifecycle.md 0.5.
#include "ctl/common/pod_budgets.h"

#include "model/disruption_budget.h"
#include "model/pod_predicates.h"

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

bool pod_is_blocked_by_budget(const State *state, const Pod *pod, int64_t now_ns, Handle *ret_budget) {
    Handle first = HANDLE_NONE;
    uint32_t count;

    if (!pod_is_evictable(pod, state_symbols(state), now_ns))
        return false;
    count = pod_count_budgets(state, pod, &first);
    if (count == 0 || (count == 1 && !budget_refuses_now(state_pod_disruption_budget(state, first), pod)))
        return false;
    if (ret_budget)
        *ret_budget = first;
    return true;
}

bool pod_is_blocked_fully_by_budget(const State *state, const Pod *pod, int64_t now_ns) {
    Handle first = HANDLE_NONE;
    uint32_t count;

    if (!pod_is_evictable(pod, state_symbols(state), now_ns))
        return false;
    count = pod_count_budgets(state, pod, &first);
    if (count != 1)
        return count > 1;
    return budget_refuses_for_good(state_pod_disruption_budget(state, first), pod);
}

bool pod_is_reschedulable_now(const State *state, const Pod *pod, int64_t now_ns) {
    const Symbols *symbols = state_symbols(state);

    return pod_is_reschedulable(pod, symbols) && pod_is_disruptable(pod, symbols, now_ns) &&
           !pod_is_blocked_fully_by_budget(state, pod, now_ns);
}
