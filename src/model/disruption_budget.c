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

void budget_cover_add(BudgetCover *cover, const PodDisruptionBudget *budget, const Pod *pod) {
    if (budget_covers_pod(budget, pod) && !cover->count++)
        cover->first = budget;
}

bool budget_cover_refuses_now(const BudgetCover *cover, const Pod *pod) {
    return cover->count > 1 || (cover->count && budget_refuses_now(cover->first, pod));
}

bool budget_cover_refuses_for_good(const BudgetCover *cover, const Pod *pod) {
    return cover->count > 1 || (cover->count && budget_refuses_for_good(cover->first, pod));
}

BudgetIndex budget_index_make(Arena *arena, const PodDisruptionBudgetVec *budgets) {
    BudgetIndex index = {.lists = arena_array(arena, PodBudgetList, budgets->count)};
    uint32_t count = 0;

    for (vec_each(const PodDisruptionBudget, budget, budgets)) {
        uint32_t at = u64_map_get(&index.namespaces, budget->meta.ns);

        if (at == INDEX_NONE) {
            at = count++;
            u64_map_put(arena, &index.namespaces, budget->meta.ns, at);
        }
        vec_push(arena, &index.lists[at], budget);
    }
    return index;
}

const PodBudgetList *budget_index_of(const BudgetIndex *index, Symbol ns) {
    static const PodBudgetList none;
    uint32_t at = u64_map_get(&index->namespaces, ns);

    return at == INDEX_NONE ? &none : &index->lists[at];
}

bool budgets_block_fully(const BudgetIndex *index, const Pod *pod) {
    BudgetCover cover = {0};

    for (vec_each(const PodDisruptionBudget *, budget, budget_index_of(index, pod->ns)))
        budget_cover_add(&cover, *budget, pod);
    return budget_cover_refuses_for_good(&cover, pod);
}

bool pod_is_currently_reschedulable(const Pod *pod, const Symbols *symbols, const BudgetIndex *budgets,
                                    int64_t now_ns) {
    if (!pod_is_reschedulable(pod))
        return false;
    if (pod_is_active(pod) && pod_is_do_not_disrupt(pod, symbols, now_ns))
        return false;
    return !pod_is_evictable(pod, symbols, now_ns) || !budgets_block_fully(budgets, pod);
}
