// maximise Σ prices · (what all items take) − Σ supply × surplus,
// subject to  prices · room − surplus ≤ price of the kind,  for each kind; surplus only for kinds in limited supply.
#include "sched/packing/resource_prices.h"

#include "sched/packing/lp.h"

#include <math.h>

typedef struct {
    double *costs, *values;
    int *starts, *rows;
    uint32_t count, entries;
} Columns;

static void start_column(Columns *columns, double cost) {
    columns->costs[columns->count] = cost;
    columns->starts[columns->count++] = (int)columns->entries;
}

static void add_entry(Columns *columns, uint32_t row, double value) {
    columns->rows[columns->entries] = (int)row;
    columns->values[columns->entries++] = value;
}

static double total_size(const Packing *packing, uint32_t dim) {
    double total = 0;

    for (uint32_t item = 0; item < packing->items.count; item++)
        total += packing->scaled_sizes[(size_t)item * packing->dims + dim] * packing->items.items[item].count;
    return total;
}

static void add_columns(Arena *scratch, const Packing *packing, Lp *lp) {
    uint32_t kinds = packing->kinds.count, most = packing->dims + kinds;
    size_t entries = (size_t)packing->dims * kinds + kinds;
    Columns columns = {.costs = arena_array(scratch, double, most),
                       .values = arena_array(scratch, double, entries),
                       .starts = arena_array(scratch, int, most + 1),
                       .rows = arena_array(scratch, int, entries)};

    for (uint32_t dim = 0; dim < packing->dims; dim++) {
        start_column(&columns, -total_size(packing, dim));
        for (uint32_t kind = 0; kind < kinds; kind++)
            add_entry(&columns, kind, (double)packing->kinds.items[kind].room[dim] / packing->scales[dim]);
    }
    for (uint32_t kind = 0; kind < kinds; kind++) {
        if (packing->kinds.items[kind].supply == INDEX_NONE)
            continue;
        start_column(&columns, packing->supplies.items[packing->kinds.items[kind].supply]);
        add_entry(&columns, kind, -1);
    }
    columns.starts[columns.count] = (int)columns.entries;
    lp_add_columns(lp, &(LpColumns){columns.count, columns.costs, columns.starts, columns.rows, columns.values});
}

static void price_items(const Packing *packing, const double *prices, double *ret_worth) {
    for (uint32_t item = 0; item < packing->items.count; item++) {
        ret_worth[item] = 0;
        for (uint32_t dim = 0; dim < packing->dims; dim++)
            ret_worth[item] += prices[dim] * packing->scaled_sizes[(size_t)item * packing->dims + dim];
    }
}

static void price_rooms(const Packing *packing, const double *prices, double *ret_bounds) {
    for (uint32_t kind = 0; kind < packing->kinds.count; kind++) {
        ret_bounds[kind] = 0;
        for (uint32_t dim = 0; dim < packing->dims; dim++)
            ret_bounds[kind] += prices[dim] * ((double)packing->kinds.items[kind].room[dim] / packing->scales[dim]);
    }
}

bool resource_prices(const Packing *packing, double *ret_prices, double *ret_worth, double *ret_bounds) {
    Arena scratch = {0};
    uint32_t kinds = packing->kinds.count;
    double *lower = arena_array(&scratch, double, kinds), *upper = arena_array(&scratch, double, kinds);
    bool solved;

    for (uint32_t kind = 0; kind < kinds; kind++) {
        lower[kind] = -INFINITY;
        upper[kind] = packing->kinds.items[kind].price;
    }
    LP_OWNED lp = lp_new(kinds, lower, upper);
    add_columns(&scratch, packing, lp);
    solved = lp_solve(lp, packing->budget);
    if (solved) {
        for (uint32_t dim = 0; dim < packing->dims; dim++)
            ret_prices[dim] = fmax(0, lp_columns(lp)[dim]);
        price_items(packing, ret_prices, ret_worth);
        price_rooms(packing, ret_prices, ret_bounds);
    }
    arena_free(&scratch);
    return solved;
}
