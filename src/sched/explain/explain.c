// Runs the checks of a new claim for each pool and reports the first that fails.
#include "sched/explain/explain.h"

#include "sched/explain/labels.h"
#include "sched/explain/old_words.h"
#include "sched/explain/pool.h"
#include "sched/explain/topology.h"
#include "sched/explain/types.h"

static bool explain_reserved(Explanation *e) {
    if (e->pool->open_state != LABEL_STATE_NONE)
        return false;
    buffer_printf(&e->text,
                  "all compatible reserved offerings are full and no on-demand or spot fallback is available");
    EXPLAIN_MISS(e, "all reservations of nodepool %.*s are taken: allow on-demand or spot",
                 SLICE_ARG(explain_pool_name(e)));
    return explain_fail(e, CHECK_RESERVED, NAME_CAPACITY_TYPE);
}

// Sets the label state of a new claim with the pod's own requirements and those of its volumes (of several alternatives
// the last one, which is the one that Karpenter reports).
static void enter_claim(Explanation *e) {
    Solver *solver = e->solver;
    const PodClass *class = e->class;
    uint64_t *row = arena_copy(solver->arena, e->pool->template_row, (solver->universe.row_words + 1) * sizeof *row);

    row_narrow(&solver->universe, row, label_set(&solver->universe, e->variant->labels));
    if (class->volume_alternatives.count &&
        row_meets(&solver->universe, row, label_set(&solver->universe, *vec_last(&class->volume_alternatives))))
        row_narrow(&solver->universe, row, label_set(&solver->universe, *vec_last(&class->volume_alternatives)));
    e->state = label_state_intern(&solver->states, e->pool->table, row, true);
}

static void explain_in_pool(Explanation *e) {
    // In the order in which a new claim is checked.
    if (explain_pool(e) || explain_limits(e) || explain_taints(e) || explain_volume_limits(e) ||
        explain_requirements(e) || explain_volumes(e))
        return;
    enter_claim(e);
    if (explain_topology(e) || explain_types(e) || explain_reserved(e) || explain_rules(e))
        return;
    buffer_printf(&e->text, "no instance type met the requirements/resources/offering tuple");
    explain_append_asked(e);
    EXPLAIN_MISS(e, "the pod's rules together leave no instance type of nodepool %.*s",
                 SLICE_ARG(explain_pool_name(e)));
    explain_fail(e, CHECK_TYPES, NAME_EMPTY);
}

void solver_explain(Solver *solver, const PodClass *class, ReasonVec *ret_reasons, Slice *ret_message) {
    Buffer message = {0};
    Explanation e = {.solver = solver, .class = class, .variant = class_variant(class, class->relaxations - 1)};

    explain_pod_requirements(&e);
    for (vec_each(Pool, pool, &solver->pools)) {
        e.pool = pool;
        e.reason = vec_add(solver->result, ret_reasons);
        e.reason->pool = pool->pool->meta.name;
        explain_in_pool(&e);
        explain_in_old_words(&e);
        buffer_printf(&message, "%s%.*s", message.len ? "; " : "", SLICE_ARG(e.reason->text));
        buffer_free(&e.text);
    }
    if (!solver->pools.count)
        buffer_printf(&message, "no dynamic nodepools found");
    *ret_message = arena_slice(solver->result, buffer_slice(&message));
    buffer_free(&message);
}
