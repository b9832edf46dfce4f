// Opens NodeClaims; reservations and minValues.
#include "sched/bin/claim.h"

#include "sched/bin/claim_price.h"
#include "sched/bin/claim_types.h"
#include "sched/bin/limits.h"
#include "sched/bin/settle.h"

#include <math.h>

// An attempt to open a claim of a pool for a class, and its result.
typedef struct {
    Pool *pool;
    const PodClass *class;
    const Variant *variant;
    uint32_t want;
    Bin bin; // the claim, in work space until the next attempt
    Placement placement;
} Opening;

// Tries a claim that starts from label state `state` and uses `reservation` (NULL: none).
static Verdict try_claim(Solver *solver, Opening *opening, uint32_t state, const OfferingShape *reservation) {
    Pool *pool = opening->pool;
    Bin *bin = &opening->bin;

    if (state == LABEL_STATE_NONE || pool->nodes_left <= 0)
        return VERDICT_NEVER;
    *bin = (Bin){.pool = pool, .number = solver->bins.count, .state = state, .reservation = reservation};
    bin->rows = solver->fresh_rows;
    bin->used = solver->fresh_used;
    bitset_copy(bin->rows, label_state_at(&solver->states, state)->rows, pool->table->words);
    pool_limit_rows(pool, NULL, bin->rows);
    if (bitset_is_empty(bin->rows, pool->table->words))
        return VERDICT_NEVER;
    memset(bin->used, 0, pool->room->dims * sizeof *bin->used);
    bin->min_values = solver->input->min_values == MIN_VALUES_BEST_EFFORT ? solver->no_min_values : NULL;
    return bin_try(solver, bin, opening->class, opening->variant, opening->want, &opening->placement);
}

// In some further attempts of the search nothing reserved is launched while something else fits.
static bool reserved_come_last(const Solver *solver) {
    return solver->attempt % 4 >= 2;
}

static int64_t *reservation_left(Solver *solver, Symbol id) {
    for (uint32_t i = 0; i < solver->reservations.count; i++) {
        if (solver->reservations.items[i].id == id)
            return &solver->reservations.items[i].left;
    }
    return NULL;
}

void claim_release(Solver *solver, const Bin *bin) {
    if (bin->reservation)
        ++*reservation_left(solver, bin->reservation->reservation_id);
}

void claim_reserve(Solver *solver, const Bin *bin) {
    if (bin->reservation)
        --*reservation_left(solver, bin->reservation->reservation_id);
}

bool claim_may_be_reserved(const Solver *solver) {
    for (vec_each(const Reservation, reservation, &solver->reservations)) {
        if (reservation->left > 0)
            return !reserved_come_last(solver);
    }
    return false;
}

// The size of the largest type of a shape.
static int64_t shape_size(const Pool *pool, const OfferingShape *shape) {
    int64_t size = 0;

    for (bitset_each(row, shape->rows, pool->table->words)) {
        if (pool->table->capacity[(size_t)row * pool->room->dims] > size)
            size = pool->table->capacity[(size_t)row * pool->room->dims];
    }
    return size;
}

// The rank by which reservations are tried: largest first, as they take more pods. Every other further attempt goes by
// price.
static double shape_rank(const Solver *solver, const Pool *pool, const OfferingShape *shape) {
    return solver->attempt % 2 ? -shape->price_min : (double)shape_size(pool, shape);
}

// The reservation to try after `last` (NULL: the first), by descending rank, then by id.
static const OfferingShape *next_reservation(Solver *solver, const Pool *pool, const OfferingShape *last) {
    const OfferingShape *best = NULL;

    for (uint32_t i = 0; i < pool->table->shape_count; i++) {
        const OfferingShape *shape = &pool->table->shapes[i];

        if (shape->capacity_type != NAME_RESERVED || *reservation_left(solver, shape->reservation_id) <= 0)
            continue;
        if (last && (shape_rank(solver, pool, shape) > shape_rank(solver, pool, last) ||
                     (shape_rank(solver, pool, shape) == shape_rank(solver, pool, last) && shape <= last)))
            continue;
        if (!best || shape_rank(solver, pool, shape) > shape_rank(solver, pool, best))
            best = shape;
    }
    return best;
}

// The state narrowed to Solver.within; LABEL_STATE_NONE: impossible.
static uint32_t keep_within(Solver *solver, uint32_t state) {
    return state == LABEL_STATE_NONE || solver->within == LABEL_SET_EMPTY
               ? state
               : label_state_step(&solver->states, state, solver->within);
}

// Tries the reservations one after the other: while one that fits is free, nothing else is launched. scheduling.md 5.9.
static Verdict try_reserved(Solver *solver, Opening *opening) {
    Verdict verdict = VERDICT_NEVER;

    if (!solver->reservations.count)
        return VERDICT_NEVER;
    for (const OfferingShape *shape = next_reservation(solver, opening->pool, NULL); shape;
         shape = next_reservation(solver, opening->pool, shape)) {
        uint32_t state = label_state_step(&solver->states, opening->pool->full_state, shape->set);
        Verdict answer = try_claim(solver, opening, keep_within(solver, state), shape);

        if (answer == VERDICT_FITS)
            return VERDICT_FITS;
        if (answer == VERDICT_NOT_NOW)
            verdict = VERDICT_NOT_NOW;
    }
    return verdict;
}

// Lowers minValues to what the types of a new claim have, or to 1. scheduling.md 2.7.
static void lower_min_values(Solver *solver, Bin *bin, uint32_t state) {
    const Pool *pool = bin->pool;
    uint32_t tied;

    if (!pool->min_values.count || solver->input->min_values != MIN_VALUES_BEST_EFFORT)
        return;
    (void)claim_tie(solver, bin, state, bin->rows, &tied, solver->tied_rows);
    bin->min_values = arena_array(solver->placing, int32_t, pool->min_values.count);
    pool_min_values_met(pool, &solver->universe, label_state_at(&solver->states, tied)->row, solver->tied_rows, NULL,
                        bin->min_values);
    for (uint32_t i = 0; i < pool->min_values.count; i++) {
        int32_t wanted = pool->min_values.items[i].wanted;

        bin->min_values[i] = solver->lowers_values ? 1 : bin->min_values[i] < wanted ? bin->min_values[i] : wanted;
        bin->min_values_relaxed |= bin->min_values[i] < wanted;
    }
}

// Adds a claim from the work space to the bins.
static void keep_claim(Solver *solver, Bin *bin, Placement *placement) {
    const ClassTable *table = &solver->classes;

    bin->rows = arena_copy(solver->placing, placement->rows, bin->pool->table->words * sizeof *bin->rows);
    bin->used = arena_array(solver->placing, int64_t, table->dimensions.count);
    lower_min_values(solver, bin, placement->state);
    claim_reserve(solver, bin);
    vec_push(solver->placing, &solver->bins, *bin);
}

// The state after the constraints `to`; LABEL_STATE_NONE: that leaves nothing for the variant.
static uint32_t tie_state(Solver *solver, uint32_t state, LabelSetId to, const Variant *variant) {
    uint32_t tied = to == LABEL_SET_EMPTY ? state : label_state_step(&solver->states, state, to);

    if (tied == LABEL_STATE_NONE || label_state_step(&solver->states, tied, variant->labels) == LABEL_STATE_NONE)
        return LABEL_STATE_NONE;
    return tied;
}

// Whether some pool that takes the variant can open claims within Solver.within.
static bool some_pool_is_within(Solver *solver, const Variant *variant) {
    const uint64_t *tolerated = solver->tolerated_pools + (size_t)variant->tolerations * solver->pool_words;

    for (bitset_each(number, tolerated, solver->pool_words)) {
        const Pool *pool = &solver->pools.items[number];

        if (pool->open_state != LABEL_STATE_NONE &&
            tie_state(solver, pool->open_state, solver->within, variant) != LABEL_STATE_NONE)
            return true;
    }
    return false;
}

uint32_t claim_open_state(Solver *solver, const Pool *pool, const Variant *variant) {
    uint32_t state = pool->open_state, tied;

    if (state == LABEL_STATE_NONE || (solver->within == LABEL_SET_EMPTY && solver->opening == LABEL_SET_EMPTY))
        return state;
    tied = tie_state(solver, state, solver->within, variant);
    if (tied == LABEL_STATE_NONE && some_pool_is_within(solver, variant))
        return LABEL_STATE_NONE;
    state = tied == LABEL_STATE_NONE ? state : tied;
    tied = tie_state(solver, state, solver->opening, variant);
    return tied == LABEL_STATE_NONE ? state : tied;
}

static Verdict try_unreserved(Solver *solver, Opening *opening) {
    return try_claim(solver, opening, claim_open_state(solver, opening->pool, opening->variant), NULL);
}

static Verdict try_open(Solver *solver, Opening *opening) {
    bool reserved_last = reserved_come_last(solver);
    Verdict verdict = reserved_last ? try_unreserved(solver, opening) : try_reserved(solver, opening), other;

    if (verdict == VERDICT_FITS)
        return verdict;
    other = reserved_last ? try_reserved(solver, opening) : try_unreserved(solver, opening);
    return other == VERDICT_NEVER ? verdict : other;
}

// Whether the settled spreads (settle_domains), if any, still hold with the domains that the claim brings.
static bool settled_bear(Solver *solver, const Opening *opening) {
    Bin bin = opening->bin;

    bin.state = opening->placement.state;
    bin.rows = opening->placement.rows;
    return !solver->domains_settled || !brings_domain(solver, &bin);
}

// Tries a claim once more, narrowed to a state. False: it does not fit, or settled spreads do not bear it.
static bool try_narrowed(Solver *solver, Opening *opening, uint32_t state) {
    return try_claim(solver, opening, state, NULL) == VERDICT_FITS && settled_bear(solver, opening);
}

// Tries a claim of one capacity type, which the node filter of a spread may not count.
static bool try_capacity_types(Solver *solver, Opening *opening, uint32_t state) {
    const Symbol types[] = {NAME_SPOT, NAME_ON_DEMAND};
    uint32_t key = universe_key(&solver->universe, NAME_CAPACITY_TYPE);

    for (uint32_t i = 0; i < sizeof types / sizeof *types && key != INDEX_NONE && state != LABEL_STATE_NONE; i++) {
        LabelSetId pin = label_state_pin_set(&solver->states, key, universe_atom(&solver->universe, key, types[i]));

        if (try_narrowed(solver, opening, label_state_step(&solver->states, state, pin)))
            return true;
    }
    return false;
}

// Keeps a claim that fits out of domains that would violate settled spreads: if need be by further attempts that are
// narrowed to the domains they count, or to what they do not count. False: that fails.
static bool try_settled(Solver *solver, Opening *opening) {
    uint32_t state;

    if (settled_bear(solver, opening))
        return true;
    state = claim_open_state(solver, opening->pool, opening->variant);
    return try_narrowed(solver, opening, state_in_settled(solver, opening->pool, state)) ||
           try_capacity_types(solver, opening, state);
}

double claim_quote(Solver *solver, Pool *pool, const PodClass *class, const Variant *variant) {
    Opening opening = {.pool = pool, .class = class, .variant = variant, .want = 1};

    if (pool->min_values_unmet || try_open(solver, &opening) != VERDICT_FITS)
        return INFINITY;
    opening.bin.state = opening.placement.state;
    return claim_price(solver, &opening.bin, opening.placement.rows, NULL, NULL);
}

// Whether claim_open restricts the types of the pool by its limits before it refuses a claim.
static bool may_tighten(const Pool *pool) {
    return pool->limited && pool->min_values.count && pool->nodes_left > 0;
}

bool claim_may_open(Solver *solver, Pool *pool, const PodClass *class, const Variant *variant) {
    Opening opening = {.pool = pool, .class = class, .variant = variant, .want = 1};

    if (pool->min_values_unmet)
        return false;
    if (try_open(solver, &opening) != VERDICT_FITS)
        return may_tighten(pool);
    return try_settled(solver, &opening);
}

uint32_t claim_cheapest(Solver *solver, Pool *pool, const PodClass *class, Alternatives alternatives) {
    uint32_t best = alternatives.first;
    double best_price = INFINITY;

    for (uint32_t i = 0; i < alternatives.count && alternatives.count > 1; i++) {
        double price = claim_quote(solver, pool, class, class_variant(class, alternatives.first + i));

        if (price < best_price) {
            best = alternatives.first + i;
            best_price = price;
        }
    }
    return best;
}

uint32_t claim_open(Solver *solver, Pool *pool, const PodClass *class, const Variant *variant, uint32_t want,
                    Placement *ret_placement, bool *ret_later) {
    Opening opening = {.pool = pool, .class = class, .variant = variant, .want = want};
    Verdict verdict;

    if (pool->min_values_unmet)
        return INDEX_NONE;
    // Under best effort the first pod decides which types are left, so the others are tried after it.
    if (solver->input->min_values == MIN_VALUES_BEST_EFFORT)
        opening.want = 1;
    verdict = try_open(solver, &opening);
    // Not during a change (place/change.h), which could not undo pool_tighten.
    if (verdict != VERDICT_FITS && !solver->change && may_tighten(pool)) {
        pool_tighten(solver, pool);
        verdict = try_open(solver, &opening);
    }
    if (verdict != VERDICT_FITS) {
        *ret_later |= verdict == VERDICT_NOT_NOW;
        return INDEX_NONE;
    }
    if (!try_settled(solver, &opening))
        return INDEX_NONE;
    keep_claim(solver, &opening.bin, &opening.placement);
    *ret_placement = opening.placement;
    return opening.bin.number;
}
