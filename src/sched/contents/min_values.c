// Labels that only some of a pod's variants ask for are left out, and domains of the claim are open.
#include "sched/contents/min_values.h"

bool small_wants_values(const SmallProblem *problem, const Pool *pool) {
    return pool && pool->min_values.count && problem->solver->input->min_values != MIN_VALUES_BEST_EFFORT &&
           pool->full_state != LABEL_STATE_NONE;
}

// The label state in which a claim starts: open, or tied to its reservation.
static uint32_t start_state(SmallProblem *problem, const SmallPlace *claim) {
    const Pool *pool = claim->pool;

    return small_is_reserved(claim)
               ? label_state_step(&problem->solver->states, pool->full_state, pool->table->shapes[claim->shape].set)
               : pool->open_state;
}

// Narrows the claim's state by the labels of items with a single variant. Removes from `rows` the types that some item
// cannot have with any variant.
static uint32_t narrow(SmallProblem *problem, const SmallPlace *claim, const uint32_t *counts, uint64_t *rows) {
    Solver *solver = problem->solver;
    uint32_t words = claim->pool->table->words, state = start_state(problem, claim);
    Arena scratch = {0};
    uint64_t *own = arena_array(&scratch, uint64_t, words);

    if (state != LABEL_STATE_NONE)
        bitset_copy(rows, label_state_at(&solver->states, state)->rows, words);
    for (uint32_t item = 0; item < problem->item_count && state != LABEL_STATE_NONE; item++) {
        const VariantVec *variants = &small_class(problem, item)->variants;

        if (!counts[item])
            continue;
        memset(own, 0, words * sizeof *own);
        for (vec_each(const Variant, variant, variants)) {
            uint32_t next = label_state_step(&solver->states, state, variant->labels);

            if (next != LABEL_STATE_NONE)
                bitset_or(own, label_state_at(&solver->states, next)->rows, words);
        }
        bitset_and(rows, own, words);
        if (variants->count == 1)
            state = label_state_step(&solver->states, state, variants->items[0].labels);
    }
    arena_free(&scratch);
    return state;
}

bool small_min_values_met(SmallProblem *problem, const SmallPlace *claim, const uint32_t *counts) {
    Solver *solver = problem->solver;
    const Pool *pool = claim->pool;
    uint32_t dims = solver->classes.dimensions.count, state;
    Arena scratch = {0};
    int64_t *sum = arena_array(&scratch, int64_t, dims);
    uint64_t *rows = bitset_new(&scratch, pool->table->row_count);
    bool met = false;

    state = narrow(problem, claim, counts, rows);
    for (uint32_t item = 0; item < problem->item_count; item++) {
        for (uint32_t dim = 0; dim < dims; dim++)
            sum[dim] += small_class(problem, item)->requests[dim] * counts[item];
    }
    if (state != LABEL_STATE_NONE && room_fit(pool->room, solver->zero, sum, 1, rows))
        met =
            pool_min_values_met(pool, &solver->universe, label_state_at(&solver->states, state)->row, rows, NULL, NULL);
    arena_free(&scratch);
    return met;
}
