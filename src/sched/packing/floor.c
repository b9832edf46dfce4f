// Turns any prices into proven ones.
#include "sched/packing/floor.h"

#include <math.h>

// Relative errors. Rounding changes sums here by about items × 2^-52 of their value. A kind counts as violated when its
// bound is above its price by more than TOLERANCE; MARGIN is taken off what is proven and covers both
// (docs/design/floor.md).
static const double TOLERANCE = 1e-9, MARGIN = 1e-8;

void floor_proof_init(FloorProof *proof, Arena *arena, const Packing *packing) {
    *proof = (FloorProof){.worth = arena_array(arena, double, packing->items.count),
                          .surplus = arena_array(arena, double, packing->supplies.count)};
}

static double value_of(const Packing *packing, const double *worth, const double *surplus, const uint32_t *counts) {
    double value = 0;

    for (uint32_t item = 0; item < packing->items.count; item++)
        value += worth[item] * (counts ? counts[item] : packing->items.items[item].count);
    value *= 1 - MARGIN;
    for (uint32_t i = 0; i < packing->supplies.count; i++)
        value -= surplus[i] * packing->supplies.items[i] * (1 + MARGIN);
    return value > 0 ? value : 0;
}

double floor_proof_value(const FloorProof *proof, const Packing *packing, const uint32_t *counts) {
    return value_of(packing, proof->worth, proof->surplus, counts);
}

static void keep_if_better(FloorProof *proof, const Packing *packing, const double *worth, const double *surplus) {
    double value = value_of(packing, worth, surplus, NULL);

    if (value <= proof->value)
        return;
    proof->value = value;
    memcpy(proof->worth, worth, packing->items.count * sizeof *worth);
    memcpy(proof->surplus, surplus, packing->supplies.count * sizeof *surplus);
}

// No content of a kind in unlimited supply may be worth more than the kind costs: the worths of its items are lowered
// in proportion. Contents of other kinds are worth no more than before then.
static void lower_factors(const Packing *packing, uint32_t kind, double bound, double *factors) {
    const uint32_t *most = packing->most ? packing_most(packing, kind) : NULL;
    double price = packing->kinds.items[kind].price, factor = price / bound;

    if (bound <= price * (1 + TOLERANCE))
        return;
    for (uint32_t item = 0; item < packing->items.count; item++) {
        if ((!most || most[item]) && factor < factors[item])
            factors[item] = factor;
    }
}

static void add_surplus(const Packing *packing, uint32_t kind, double bound, double *surplus) {
    uint32_t supply = packing->kinds.items[kind].supply;
    double above = bound - packing->kinds.items[kind].price;

    if (above > surplus[supply])
        surplus[supply] = above;
}

void floor_proof_offer(FloorProof *proof, const Packing *packing, const double *worth, const double *bounds) {
    Arena scratch = {0};
    uint32_t items = packing->items.count;
    double *lowered = arena_array(&scratch, double, items), *factors = arena_array(&scratch, double, items);
    double *surplus = arena_array(&scratch, double, packing->supplies.count);

    for (uint32_t item = 0; item < items; item++)
        factors[item] = 1;
    for (uint32_t kind = 0; kind < packing->kinds.count; kind++) {
        if (packing->kinds.items[kind].supply != INDEX_NONE)
            add_surplus(packing, kind, bounds[kind], surplus);
        else
            lower_factors(packing, kind, bounds[kind], factors);
    }
    for (uint32_t item = 0; item < items; item++)
        lowered[item] = fmax(worth[item], 0) * factors[item];
    keep_if_better(proof, packing, lowered, surplus);
    arena_free(&scratch);
}
