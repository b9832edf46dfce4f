// Prices of classes from prices of resources.
#include "sched/fleet/worth.h"

#include "sched/packing/resource_prices.h"

static void share_out(FleetSearch *search, const Packing *packing, const double *worth) {
    for (uint32_t i = 0; i < packing->items.count; i++) {
        for (vec_each(const uint32_t, class, &packing->items.items[i].classes))
            search->worth[*class] = worth[i];
    }
}

void fleet_find_worth(FleetSearch *search) {
    Solver *solver = search->solver;
    uint32_t nodes = solver->node_count;
    Arena scratch = {0};
    Packing packing;
    double *prices, *worth, *bounds;

    search->worth = arena_array(search->arena, double, solver->classes.classes.count);
    solver->node_count = 0; // the market has no existing nodes
    packing_make(&packing, &scratch, solver, NULL);
    solver->node_count = nodes;
    prices = arena_array(&scratch, double, packing.dims);
    worth = arena_array(&scratch, double, packing.items.count);
    bounds = arena_array(&scratch, double, packing.kinds.count);
    if (packing.kinds.count && resource_prices(&packing, prices, worth, bounds))
        share_out(search, &packing, worth);
    arena_free(&scratch);
}

double fleet_worth_of_bin(const FleetSearch *search, const Bin *bin) {
    double worth = 0;

    for (vec_each(const BinPods, pods, &bin->pods))
        worth += search->worth[pods->class] * pods->count;
    return worth;
}
