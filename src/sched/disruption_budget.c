// Matching pods with PodDisruptionBudgets.
#include "sched/disruption_budget.h"

static bool budget_covers(const PodDisruptionBudget *budget, const Pod *pod) {
    return budget->meta.ns == pod->ns && budget->selector && selector_matches(budget->selector, &pod->labels);
}

static bool budget_never_allows(const PodDisruptionBudget *budget) {
    return slice_eq_text(budget->max_unavailable, "0") || slice_eq_text(budget->max_unavailable, "0%") ||
           slice_eq_text(budget->min_available, "100%");
}

bool budgets_block_fully(const Cluster *cluster, const Pod *pod) {
    const PodDisruptionBudget *only = NULL;

    for (vec_each(const PodDisruptionBudget, budget, &cluster->disruption_budgets)) {
        if (!budget_covers(budget, pod))
            continue;
        if (only)
            return true;
        only = budget;
    }
    if (!only || (only->always_allow_unhealthy && !pod->ready))
        return false;
    return budget_never_allows(only);
}
