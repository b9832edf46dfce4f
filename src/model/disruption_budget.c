// PodDisruptionBudgets, applied to pods.
#include "model/disruption_budget.h"

#include "model/pod_predicates.h"

bool budget_covers_pod(const PodDisruptionBudget *budget, const Pod *pod) {
    return budget->meta.ns == pod->ns && budget->selector && selector_matches(budget->selector, &pod->labels);
}

bool budget_refuses_now(const PodDisruptionBudget *budget, const Pod *pod) {
    return !(budget->always_allow_unhealthy && pod->unready) && budget->disruptions_allowed <= 0;
}

static bool budget_never_allows(const PodDisruptionBudget *budget) {
    return slice_eq_text(budget->max_unavailable, "0") || slice_eq_text(budget->max_unavailable, "0%") ||
           slice_eq_text(budget->min_available, "100%");
}

bool budget_refuses_for_good(const PodDisruptionBudget *budget, const Pod *pod) {
    return !(budget->always_allow_unhealthy && !pod->ready) && budget_never_allows(budget);
}

bool budgets_block_fully(const Cluster *cluster, const Pod *pod) {
    const PodDisruptionBudget *only = NULL;

    for (vec_each(const PodDisruptionBudget, budget, &cluster->disruption_budgets)) {
        if (!budget_covers_pod(budget, pod))
            continue;
        if (only)
            return true;
        only = budget;
    }
    return only && budget_refuses_for_good(only, pod);
}

bool pod_is_currently_reschedulable(const Pod *pod, const Cluster *cluster, int64_t now_ns) {
    const Symbols *symbols = &cluster->symbols;

    if (!pod_is_reschedulable(pod, symbols))
        return false;
    if (pod_is_active(pod) && pod_is_do_not_disrupt(pod, symbols, now_ns))
        return false;
    return !pod_is_evictable(pod, symbols, now_ns) || !budgets_block_fully(cluster, pod);
}
