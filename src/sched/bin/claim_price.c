// Caches the launch orders of pools and label states.
#include "sched/bin/claim_price.h"

#include <math.h>

static const LaunchList *launch_list_for(Solver *solver, const Pool *pool, const uint64_t *shapes) {
    uint32_t words = bitset_words(pool->table->shape_count), cursor = 0, found;
    uint64_t hash = hash_combine(pool->number, slice_hash((Slice){(const char *)shapes, words * sizeof *shapes}));
    PoolLaunchList added = {.pool = pool->number};

    while ((found = index_map_next(&solver->launch_list_index, hash, &cursor)) != INDEX_NONE) {
        const PoolLaunchList *known = &solver->launch_lists.items[found];

        if (known->pool == pool->number && bitset_eq(known->list->shapes, shapes, words))
            return known->list;
    }
    added.list = launch_list_make(solver->arena, pool, shapes, solver->universe.symbols);
    index_map_add(solver->arena, &solver->launch_list_index, hash, solver->launch_lists.count);
    vec_push(solver->arena, &solver->launch_lists, added);
    return added.list;
}

const LaunchOrder *claim_launch_order(Solver *solver, const Pool *pool, uint32_t state) {
    uint64_t key = (uint64_t)pool->number << 32 | state;
    uint32_t number = u64_map_get(&solver->launch_order_index, key);

    if (number == INDEX_NONE) {
        const LabelState *label_state = label_state_at(&solver->states, state);

        number = solver->launch_orders.count;
        vec_push(solver->arena, &solver->launch_orders,
                 launch_order_make(solver->arena, pool, launch_list_for(solver, pool, label_state->shapes), label_state,
                                   &solver->quanta));
        u64_map_put(solver->arena, &solver->launch_order_index, key, number);
    }
    return solver->launch_orders.items[number];
}

double claim_price(Solver *solver, const Bin *bin, const uint64_t *rows, uint32_t *ret_row,
                   const Offering **ret_offering) {
    const LaunchOption *launch = launch_order_choice(claim_launch_order(solver, bin->pool, bin->state), rows);

    if (!launch)
        return INFINITY;
    if (ret_row)
        *ret_row = launch->row;
    if (ret_offering)
        *ret_offering = launch->offering;
    return launch->price;
}
