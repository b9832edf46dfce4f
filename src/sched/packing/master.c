// Rows: one per item (at least as many as are to be covered), then one per supply (at most as many nodes as there are).
#include "sched/packing/master.h"

#include <math.h>

static void add_emergency_columns(Master *master) {
    const Packing *packing = master->packing;
    uint32_t items = packing->items.count;
    Arena scratch = {0};
    double *costs = arena_array(&scratch, double, items), *ones = arena_array(&scratch, double, items), most = 1;
    int *starts = arena_array(&scratch, int, items + 1);

    for (vec_each(PackKind, kind, &packing->kinds))
        most = fmax(most, kind->price);
    for (uint32_t item = 0; item <= items; item++)
        starts[item] = (int)item;
    for (uint32_t item = 0; item < items; item++) {
        costs[item] = most * 2;
        ones[item] = 1;
    }
    lp_add_columns(master->lp, &(LpColumns){items, costs, starts, starts, ones});
    arena_free(&scratch);
}

void master_init(Master *master, Arena *arena, const Packing *packing) {
    *master =
        (Master){.packing = packing, .value = INFINITY, .worth = arena_array(arena, double, packing->items.count)};
    master_set_counts(master, NULL);
    add_emergency_columns(master);
}

void master_free(Master *master) {
    lp_free(master->lp);
    master->lp = NULL;
}

void master_set_counts(Master *master, const uint32_t *counts) {
    const Packing *packing = master->packing;
    uint32_t items = packing->items.count, rows = items + packing->supplies.count;
    Arena scratch = {0};
    double *lower = arena_array(&scratch, double, rows), *upper = arena_array(&scratch, double, rows);

    for (uint32_t item = 0; item < items; item++) {
        lower[item] = counts ? counts[item] : packing->items.items[item].count;
        upper[item] = INFINITY;
    }
    for (uint32_t i = items; i < rows; i++) {
        lower[i] = -INFINITY;
        upper[i] = packing->supplies.items[i - items];
    }
    if (master->lp)
        lp_set_rows(master->lp, lower, upper);
    else
        master->lp = lp_new(rows, lower, upper);
    arena_free(&scratch);
}

void master_add(Master *master, const MasterColumnVec *columns) {
    const Packing *packing = master->packing;
    Arena scratch = {0};
    double *costs = arena_array(&scratch, double, columns->count), *values;
    int *starts = arena_array(&scratch, int, columns->count + 1), *rows;
    uint32_t entries = 0;

    for (vec_each(MasterColumn, column, columns))
        entries += column->count + 1;
    values = arena_array(&scratch, double, entries);
    rows = arena_array(&scratch, int, entries);
    entries = 0;
    for (uint32_t i = 0; i < columns->count; i++) {
        const MasterColumn *column = &columns->items[i];
        const PackKind *kind = &packing->kinds.items[column->kind];

        costs[i] = kind->price;
        starts[i] = (int)entries;
        for (uint32_t j = 0; j < column->count; j++) {
            rows[entries] = (int)column->items[j];
            values[entries++] = column->counts[j];
        }
        if (kind->supply != INDEX_NONE) {
            rows[entries] = (int)(packing->items.count + kind->supply);
            values[entries++] = 1;
        }
    }
    starts[columns->count] = (int)entries;
    if (columns->count)
        lp_add_columns(master->lp, &(LpColumns){columns->count, costs, starts, rows, values});
    master->columns += columns->count;
    arena_free(&scratch);
}

bool master_solve(Master *master) {
    bool solved = lp_solve(master->lp, master->packing->budget);

    master->work += lp_work(master->lp);
    if (!solved)
        return false;
    master->value = lp_objective(master->lp);
    master->times = lp_columns(master->lp) + master->packing->items.count;
    for (uint32_t item = 0; item < master->packing->items.count; item++)
        master->worth[item] = fmax(0, lp_duals(master->lp)[item]);
    return true;
}
