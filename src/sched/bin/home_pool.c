// Pools are sorted by weight, so the first one that could serve a class is a home pool.
#include "sched/bin/home_pool.h"

// Whether the pool could open a claim for some variant of the class, ignoring limits.
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

int32_t *class_home_weights(Solver *solver, Arena *arena) {
    const PodClassVec *classes = &solver->classes.classes;
    int32_t *weights;

    if (!solver->pools.count || solver->pools.items[0].pool->weight == vec_last(&solver->pools)->pool->weight)
        return NULL;
    weights = arena_array(arena, int32_t, classes->count);
    for (uint32_t i = 0; i < classes->count; i++)
        weights[i] = class_home_weight(solver, &classes->items[i]);
    return weights;
}

bool class_may_open(const Solver *solver, const PodClass *class) {
    for (vec_each(const uint32_t, number, &class_variant(class, 0)->groups)) {
        const TopologyGroup *group = &solver->topology.groups.items[*number];

        if (group->kind == GROUP_AFFINITY && group->key == INDEX_NONE)
            return false;
    }
    return !class->shared_claims.count;
}

// Whether a claim in that label state can be launched for one pod of the class.
static bool launches(Solver *solver, const Pool *pool, const PodClass *class, uint32_t state) {
    uint64_t *rows = solver->fresh_rows;
    const LabelState *labels;

    if (state == LABEL_STATE_NONE)
        return false;
    labels = label_state_at(&solver->states, state);
    bitset_copy(rows, labels->rows, pool->table->words);
    pool_drop_port_conflicts(pool, class->ports, rows);
    return room_fit(pool->room, solver->zero, class->requests, 1, rows) &&
           (!pool->min_values.count || solver->input->min_values == MIN_VALUES_BEST_EFFORT ||
            pool_min_values_met(pool, &solver->universe, labels->row, rows, NULL, NULL));
}

// Whether the pool opens a claim for a pod of the class with that variant.
static bool opens_for(Solver *solver, const Pool *pool, const PodClass *class, const Variant *variant, uint32_t state) {
    if (!bitset_has(solver->tolerated_pools + (size_t)variant->tolerations * solver->pool_words, pool->number))
        return false;
    state = label_state_step(&solver->states, state, variant->labels);
    if (state == LABEL_STATE_NONE || !class->volume_alternatives.count)
        return launches(solver, pool, class, state);
    for (vec_each(const LabelSetId, alternative, &class->volume_alternatives)) {
        if (launches(solver, pool, class, label_state_step(&solver->states, state, *alternative)))
            return true;
    }
    return false;
}

bool pool_surely_serves(Solver *solver, const Pool *pool, const PodClass *class, uint32_t state) {
    Alternatives first = variant_alternatives(class, 0);

    if (class_variant(class, 0)->keys.count)
        first.count = 1;
    if (pool->limited || pool->nodes_left != INT64_MAX || pool->min_values_unmet || state == LABEL_STATE_NONE)
        return false;
    for (uint32_t i = 0; i < first.count; i++) {
        if (opens_for(solver, pool, class, &class->variants.items[first.first + i], state))
            return true;
    }
    return false;
}
