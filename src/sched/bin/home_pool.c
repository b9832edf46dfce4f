// Pools come in order of weight, so the first that could serve a class is its home.
#include "sched/bin/home_pool.h"

// Whether the pool could open a claim for the class under one of its variants, were there no limits.
static bool pool_could_serve(Solver *solver, const Pool *pool, const PodClass *class) {
    uint64_t *rows = solver->fresh_rows;

    for (vec_each(const Variant, variant, &class->variants)) {
        if (!bitset_has(solver->tolerated_pools + (size_t)variant->tolerations * solver->pool_words, pool->number))
            continue;
        for (uint32_t site = 0; site < class_site_count(class); site++) {
            uint32_t state = class_site_state(&solver->states, pool->full_state, class, variant, site);

            if (state == LABEL_STATE_NONE)
                continue;
            bitset_copy(rows, label_state_at(&solver->states, state)->rows, pool->table->words);
            if (room_fit(pool->room, solver->zero, class->requests, 1, rows))
                return true;
        }
    }
    return false;
}

int32_t class_home_weight(Solver *solver, const PodClass *class) {
    for (vec_each(const Pool, pool, &solver->pools)) {
        if (pool_could_serve(solver, pool, class))
            return pool->pool->weight;
    }
    return INT32_MIN;
}
