// Checks of a pool as a whole.
#include "sched/explain/pool.h"

#include "model/pool_name.h"
#include "sched/explain/culprit.h"

static void miss_culprit(Explanation *e) {
    Slice culprit = explain_culprit(e, &e->pool->requirements);

    EXPLAIN_MISS(e, "no instance type meets the requirements of nodepool %.*s: %s%.*s", SLICE_ARG(explain_pool_name(e)),
                 culprit.len ? "none is left by " : "widen them", SLICE_ARG(culprit));
}

bool explain_pool(Explanation *e) {
    bool reserved_only = e->pool->open_state == LABEL_STATE_NONE && e->solver->reservations.count;

    if (e->pool->min_values_unmet || (e->pool->open_state == LABEL_STATE_NONE && !reserved_only)) {
        buffer_printf(&e->text, "nodepool requirements filtered out all available instance types");
        if (e->pool->min_values_unmet)
            EXPLAIN_MISS(e, "lower minValues of nodepool %.*s", SLICE_ARG(explain_pool_name(e)));
        else
            miss_culprit(e);
        return explain_fail(e, CHECK_POOL, NAME_EMPTY);
    }
    if (e->pool->nodes_left <= 0) {
        buffer_printf(&e->text, "node limits have been exhausted for nodepool (NodePool=%.*s)",
                      SLICE_ARG(explain_pool_name(e)));
        e->reason->needed = 1;
        EXPLAIN_MISS(e, "raise limit nodes of nodepool %.*s by 1", SLICE_ARG(explain_pool_name(e)));
        return explain_fail(e, CHECK_LIMIT_NODES, NAME_NODES);
    }
    return false;
}

// The increase of a limit that a row needs, for the resource of which the largest share is missing.
static int64_t missing_limit(const Explanation *e, uint32_t row, uint32_t *ret_dim) {
    const Pool *pool = e->pool;
    int64_t worst = 0;

    for (uint32_t dim = 0; dim < pool->room->dims; dim++) {
        int64_t missing;

        if (pool->left[dim] == INT64_MAX)
            continue;
        missing = pool->table->capacity[(size_t)row * pool->room->dims + dim] - pool->left[dim];
        if (missing > worst) {
            worst = missing;
            *ret_dim = dim;
        }
    }
    return worst;
}

static bool limits_leave_a_type(const Explanation *e, uint64_t *rows) {
    const LabelState *state = label_state_at(
        &e->solver->states, e->pool->open_state == LABEL_STATE_NONE ? e->pool->full_state : e->pool->open_state);

    bitset_copy(rows, state->rows, e->pool->table->words);
    pool_limit_rows(e->pool, NULL, rows);
    return !bitset_is_empty(rows, e->pool->table->words);
}

void explain_nearest_limit(Explanation *e, const uint64_t *rows) {
    int64_t best = INT64_MAX;
    uint32_t best_dim = INDEX_NONE;

    for (bitset_each(row, rows, e->pool->table->words)) {
        uint32_t dim = 0;
        int64_t missing = missing_limit(e, row, &dim);

        if (missing > 0 && missing < best) {
            best = missing;
            best_dim = dim;
        }
    }
    if (best_dim == INDEX_NONE)
        return;
    e->reason->subject = e->solver->classes.dimensions.resources[best_dim];
    e->reason->needed = best;
    EXPLAIN_MISS(e, "raise limit %.*s of nodepool %.*s by %.*s", SLICE_ARG(explain_name(e, e->reason->subject)),
                 SLICE_ARG(explain_pool_name(e)),
                 SLICE_ARG(resource_print(e->solver->arena, e->reason->subject, best)));
}

bool explain_limits(Explanation *e) {
    Solver *solver = e->solver;
    uint64_t *rows = solver->fresh_rows;
    uint32_t state;

    if (!e->pool->limited || limits_leave_a_type(e, rows))
        return false;
    buffer_printf(&e->text, "all available instance types exceed limits for nodepool (NodePool=%.*s)",
                  SLICE_ARG(explain_pool_name(e)));
    state = label_state_step(&solver->states, e->pool->full_state, e->variant->labels);
    if (state != LABEL_STATE_NONE) {
        bitset_copy(rows, label_state_at(&solver->states, state)->rows, e->pool->table->words);
        if (room_fit(e->pool->room, solver->zero, e->class->requests, 1, rows))
            explain_nearest_limit(e, rows);
    }
    return explain_fail(e, CHECK_LIMITS, e->reason->subject);
}

bool explain_taints(Explanation *e) {
    const TolerationVec *tolerations = &e->solver->classes.tolerations.items[e->variant->tolerations];
    const Symbols *symbols = e->solver->universe.symbols;
    bool is_old = pool_provisioner(explain_pool_name(e)).len > 0;
    Symbol first = NAME_EMPTY;
    Buffer misses = {0};

    for (vec_each(Taint, taint, &e->pool->pool->template_spec.taints)) {
        Slice printed = taint_print(e->solver->arena, symbols, taint);

        if (taint_is_tolerated(symbols, taint, tolerations))
            continue;
        buffer_printf(&e->text, "%sdid not tolerate %s%.*s%s", e->text.len ? "; " : "",
                      is_old ? "" : "taint (taint=", SLICE_ARG(printed), is_old ? "" : ")");
        buffer_printf(&misses, "%s%.*s", misses.len ? ", " : "", SLICE_ARG(printed));
        first = first == NAME_EMPTY ? taint->key : first;
    }
    if (first == NAME_EMPTY)
        return false;
    EXPLAIN_MISS(e, "add toleration %.*s to the pod", SLICE_ARG(buffer_slice(&misses)));
    buffer_free(&misses);
    return explain_fail(e, CHECK_TAINTS, first);
}
