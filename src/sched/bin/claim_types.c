// Ties, least restrictive first, and minValues.
#include "sched/bin/claim_types.h"

#include "sched/bin/claim_price.h"

#include <math.h>

bool claim_min_values_met(const Solver *solver, const Bin *bin, uint32_t state, const uint64_t *rows) {
    return !bin->pool->min_values.count ||
           pool_min_values_met(bin->pool, &solver->universe, label_state_at(&solver->states, state)->row, rows,
                               bin->min_values, NULL);
}

// What a tie requires of the claim, as an offering's shape has it.
typedef enum { TIE_NOTHING, TIE_CAPACITY_TYPE, TIE_ZONE, TIE_OFFERING } TieWidth;

// A claim that is being tied, and the best tie so far.
typedef struct {
    Solver *solver;
    const Bin *bin;
    const uint64_t *rows;
    uint64_t *tried;
    bool met; // the best tie meets minValues
    double price;
    uint32_t *ret_state;
    uint64_t *ret_rows;
} Tying;

static uint32_t pinned_state(Solver *solver, uint32_t state, Symbol key_name, Symbol value) {
    uint32_t key = universe_key(&solver->universe, key_name);

    if (key == INDEX_NONE)
        return LABEL_STATE_NONE;
    return label_state_step(&solver->states, state,
                            label_state_pin_set(&solver->states, key, universe_atom(&solver->universe, key, value)));
}

static uint32_t tied_state(Solver *solver, uint32_t state, const OfferingShape *shape, TieWidth width) {
    switch (width) {
    case TIE_NOTHING:
        return state;
    case TIE_CAPACITY_TYPE:
        return pinned_state(solver, state, NAME_CAPACITY_TYPE, shape->capacity_type);
    case TIE_ZONE:
        return pinned_state(solver, state, NAME_ZONE, shape->zone);
    default:
        return label_state_step(&solver->states, state, shape->set);
    }
}

// Fills `tried` with the rows that are left when the claim is tied to the shape.
static void tied_rows(const Tying *tying, uint32_t tied, const OfferingShape *shape, TieWidth width) {
    const TypeTable *table = tying->bin->pool->table;
    const uint64_t *possible = label_state_at(&tying->solver->states, tied)->rows;

    bitset_copy(tying->tried, tying->rows, table->words);
    bitset_and(tying->tried, possible, table->words);
    if (width == TIE_OFFERING) // no requirement distinguishes offerings of one shape
        bitset_and(tying->tried, shape->rows, table->words);
    else
        type_table_drop_split(table, possible, tying->tried);
}

// Keeps the tie if it is better than the best so far.
static void try_tie(Tying *tying, uint32_t state, const OfferingShape *shape, TieWidth width) {
    Solver *solver = tying->solver;
    uint32_t tied = tied_state(solver, state, shape, width);
    const LaunchOption *launch;
    bool met;

    if (tied == LABEL_STATE_NONE)
        return;
    tied_rows(tying, tied, shape, width);
    launch = launch_order_choice(claim_launch_order(solver, tying->bin->pool, tied), tying->tried);
    if (!launch)
        return;
    met = claim_min_values_met(solver, tying->bin, tied, tying->tried);
    if (met == tying->met ? launch->price >= tying->price : tying->met)
        return;
    tying->met = met;
    tying->price = launch->price;
    *tying->ret_state = tied;
    bitset_copy(tying->ret_rows, tying->tried, tying->bin->pool->table->words);
}

// Tries the ties by each offering shape of the claim's types, until one costs no more than `least`.
static void tie_by_shapes(Tying *tying, uint32_t state, double least) {
    const TypeTable *table = tying->bin->pool->table;
    const uint64_t *shapes = label_state_at(&tying->solver->states, state)->shapes;
    uint32_t words = bitset_words(table->shape_count);

    for (TieWidth width = TIE_CAPACITY_TYPE; width <= TIE_OFFERING; width++) {
        for (bitset_each(shape, shapes, words)) {
            if (tying->met && tying->price <= least)
                return;
            if (bitset_intersects(table->shapes[shape].rows, tying->rows, table->words))
                try_tie(tying, state, &table->shapes[shape], width);
        }
    }
}

bool claim_tie(Solver *solver, const Bin *bin, uint32_t state, const uint64_t *rows, uint32_t *ret_state,
               uint64_t *ret_rows) {
    const TypeTable *table = bin->pool->table;
    Tying tying = {solver, bin, rows, solver->tried_rows, false, INFINITY, ret_state, ret_rows};
    const LaunchOption *launch;

    *ret_state = state;
    bitset_copy(ret_rows, rows, table->words);
    if (!type_table_is_split(table))
        return claim_min_values_met(solver, bin, state, rows);
    launch = launch_order_choice(claim_launch_order(solver, bin->pool, state), rows);
    if (!launch)
        return false;
    try_tie(&tying, state, NULL, TIE_NOTHING);
    tie_by_shapes(&tying, state, launch->price);
    return tying.met;
}

bool claim_can_list(Solver *solver, const Bin *bin, uint32_t state, const uint64_t *rows) {
    uint32_t tied;

    if (!bin->pool->min_values.count)
        return true;
    return claim_tie(solver, bin, state, rows, &tied, solver->tied_rows);
}
