// What a claim is expected to cost: the launch_orders of pools and states, each made once.
#include "sched/bin/claim_price.h"

#include <math.h>

const LaunchOrder *claim_launch_order(Solver *solver, const Pool *pool, uint32_t state) {
    uint64_t key = (uint64_t)pool->number << 32 | state;
    uint32_t number = u64_map_get(&solver->launch_order_index, key);

    if (number == INDEX_NONE) {
        number = solver->launch_orders.count;
        vec_push(solver->arena, &solver->launch_orders,
                 launch_order_make(solver->arena, pool, label_state_at(&solver->states, state), &solver->quanta,
                                   solver->universe.symbols));
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
