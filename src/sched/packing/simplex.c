// Primal simplex with upper bounds.
#include "sched/packing/simplex.h"

#include <math.h>

enum { PIVOTS_MAX = 200 };
static const double TINY = 1e-9;     // entries of a column below this share of the largest count as 0
static const double FEASIBLE = 1e-7; // tolerance of bounds

#define SLACK(dim)         (UINT32_MAX - 1 - (dim))
#define IS_SLACK(variable) ((variable) >= SLACK(1u << 16))
#define SLACK_DIM(slack)   (UINT32_MAX - 1 - (slack))

void simplex_init(Simplex *simplex, Arena *arena, const Packing *packing) {
    uint32_t dims = packing->dims, kinds = packing->kinds.count;

    *simplex = (Simplex){.packing = packing, .words = bitset_words(packing->items.count)};
    simplex->bases = arena_array(arena, uint32_t, (size_t)kinds * dims);
    simplex->limited = arena_array(arena, bool, kinds);
    simplex->at_most = arena_array(arena, uint64_t, (size_t)kinds * simplex->words);
    for (uint32_t i = 0; i < kinds * dims; i++)
        simplex->bases[i] = SLACK(i % dims);
    simplex->inverse = arena_array(arena, double, (size_t)dims *dims);
    simplex->values = arena_array(arena, double, dims);
    simplex->column = arena_array(arena, double, dims);
    simplex->multipliers = arena_array(arena, double, dims);
}

static const double *size_of(const Simplex *simplex, uint32_t item) {
    return simplex->packing->scaled_sizes + (size_t)item * simplex->packing->dims;
}

static double upper_of(const Simplex *simplex, uint32_t variable) {
    return IS_SLACK(variable) ? INFINITY : simplex_most(simplex, variable);
}

static double worth_of(const Simplex *simplex, uint32_t variable) {
    return IS_SLACK(variable) ? 0 : simplex->worth[variable];
}

// --- the basis

// Updates the inverse for a variable that enters the basis: its column becomes the unit vector of `place`.
static void pivot(Simplex *simplex, uint32_t place) {
    uint32_t dims = simplex->packing->dims;
    double *row = simplex->inverse + (size_t)place * dims, by = simplex->column[place];

    for (uint32_t dim = 0; dim < dims; dim++)
        row[dim] /= by;
    for (uint32_t other = 0; other < dims; other++) {
        double factor = simplex->column[other];
        double *target = simplex->inverse + (size_t)other * dims;

        if (other == place || factor == 0)
            continue;
        for (uint32_t dim = 0; dim < dims; dim++)
            target[dim] -= factor * row[dim];
    }
}

// column = inverse · size of the variable.
static void fill_column(Simplex *simplex, uint32_t variable) {
    uint32_t dims = simplex->packing->dims;

    for (uint32_t place = 0; place < dims; place++) {
        const double *row = simplex->inverse + (size_t)place * dims;
        double sum = 0;

        if (IS_SLACK(variable)) {
            sum = row[SLACK_DIM(variable)];
        } else {
            const double *size = size_of(simplex, variable);

            for (uint32_t dim = 0; dim < dims; dim++)
                sum += row[dim] * size[dim];
        }
        simplex->column[place] = sum;
    }
}

static void reset(Simplex *simplex) {
    uint32_t dims = simplex->packing->dims;

    memset(simplex->inverse, 0, (size_t)dims * dims * sizeof *simplex->inverse);
    for (uint32_t dim = 0; dim < dims; dim++) {
        simplex->basis[dim] = SLACK(dim);
        simplex->inverse[(size_t)dim * dims + dim] = 1;
    }
}

// Recomputes the inverse: pivots the items of the last basis into a basis of slacks, each where its column is largest.
static void rebuild(Simplex *simplex) {
    uint32_t dims = simplex->packing->dims, count = 0;
    uint32_t items[256];

    for (uint32_t place = 0; place < dims; place++) {
        if (!IS_SLACK(simplex->basis[place]))
            items[count++] = simplex->basis[place];
    }
    reset(simplex);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t best = INDEX_NONE;

        fill_column(simplex, items[i]);
        for (uint32_t place = 0; place < dims; place++) {
            if (IS_SLACK(simplex->basis[place]) && fabs(simplex->column[place]) > 1e-9 &&
                (best == INDEX_NONE || fabs(simplex->column[place]) > fabs(simplex->column[best])))
                best = place;
        }
        if (best == INDEX_NONE)
            continue; // only by rounding errors; the item starts at 0 then
        pivot(simplex, best);
        simplex->basis[best] = items[i];
    }
}

// values = inverse · (room − size of the items at their upper bound).
static void fill_values(Simplex *simplex) {
    const Packing *packing = simplex->packing;
    double left[256];

    for (uint32_t dim = 0; dim < packing->dims; dim++)
        left[dim] = (double)packing->kinds.items[simplex->kind].room[dim] / packing->scales[dim];
    for (bitset_each(item, simplex->upper, simplex->words)) {
        for (uint32_t dim = 0; dim < packing->dims; dim++)
            left[dim] -= simplex_most(simplex, item) * size_of(simplex, item)[dim];
    }
    for (uint32_t place = 0; place < packing->dims; place++) {
        simplex->values[place] = 0;
        for (uint32_t dim = 0; dim < packing->dims; dim++)
            simplex->values[place] += simplex->inverse[(size_t)place * packing->dims + dim] * left[dim];
    }
}

static void fill_multipliers(Simplex *simplex) {
    uint32_t dims = simplex->packing->dims;

    memset(simplex->multipliers, 0, dims * sizeof *simplex->multipliers);
    for (uint32_t place = 0; place < dims; place++) {
        double worth = worth_of(simplex, simplex->basis[place]);

        for (uint32_t dim = 0; dim < dims && worth != 0; dim++)
            simplex->multipliers[dim] += worth * simplex->inverse[(size_t)place * dims + dim];
    }
}

// --- a step

static bool in_basis(const Simplex *simplex, uint32_t variable) {
    for (uint32_t place = 0; place < simplex->packing->dims; place++) {
        if (simplex->basis[place] == variable)
            return true;
    }
    return false;
}

// The variable with the best reduced cost; INDEX_NONE: optimal.
static uint32_t choose_entering(const Simplex *simplex) {
    const Packing *packing = simplex->packing;
    PackTakes takes = packing_takes(packing, simplex->kind);
    uint32_t best = INDEX_NONE;
    double best_score = 1e-10;

    for (uint32_t dim = 0; dim < packing->dims; dim++) {
        double score = -simplex->multipliers[dim];

        if (score > best_score && !in_basis(simplex, SLACK(dim))) {
            best_score = score;
            best = SLACK(dim);
        }
    }
    for (uint32_t i = 0; i < takes.count; i++) {
        uint32_t item = takes.items[i], most = simplex_most(simplex, item);
        const double *size = size_of(simplex, item);
        double gain = simplex->worth[item];

        if (!most)
            continue;
        for (uint32_t dim = 0; dim < packing->dims; dim++)
            gain -= simplex->multipliers[dim] * size[dim];
        gain *= bitset_has(simplex->upper, item) ? -(double)most : most;
        if (gain > best_score && !in_basis(simplex, item)) {
            best_score = gain;
            best = item;
        }
    }
    return best;
}

static double largest_entry(const Simplex *simplex) {
    double largest = 0;

    for (uint32_t place = 0; place < simplex->packing->dims; place++)
        largest = fmax(largest, fabs(simplex->column[place]));
    return largest;
}

// The ratio test: how far the entering variable can move until a basic variable reaches a bound (`ret_place`), or
// itself (INDEX_NONE). Of several, the one with the largest entry, as dividing by small entries makes the inverse
// inaccurate.
static double choose_leaving(const Simplex *simplex, uint32_t entering, double sign, uint32_t *ret_place,
                             bool *ret_upper) {
    double step = upper_of(simplex, entering), tiny = TINY * largest_entry(simplex), best_rate = 0;

    *ret_place = INDEX_NONE;
    *ret_upper = false;
    for (uint32_t place = 0; place < simplex->packing->dims; place++) {
        double rate = sign * simplex->column[place], room, limit;

        if (fabs(rate) <= tiny)
            continue;
        room = rate > 0 ? simplex->values[place] : upper_of(simplex, simplex->basis[place]) - simplex->values[place];
        limit = (room > 0 ? room : 0) / fabs(rate);
        if (limit > step || (limit == step && fabs(rate) <= best_rate))
            continue;
        step = limit;
        best_rate = fabs(rate);
        *ret_place = place;
        *ret_upper = rate < 0;
    }
    return step;
}

// One pivot. False: optimal, or unbounded.
static bool step_once(Simplex *simplex) {
    uint32_t entering, place, leaving;
    bool was_upper, leaves_upper;
    double sign, step;

    fill_multipliers(simplex);
    entering = choose_entering(simplex);
    if (entering == INDEX_NONE)
        return false;
    was_upper = !IS_SLACK(entering) && bitset_has(simplex->upper, entering);
    sign = was_upper ? -1 : 1;
    fill_column(simplex, entering);
    step = choose_leaving(simplex, entering, sign, &place, &leaves_upper);
    if (isinf(step))
        return false;
    for (uint32_t i = 0; i < simplex->packing->dims; i++)
        simplex->values[i] -= sign * step * simplex->column[i];
    if (place == INDEX_NONE) { // from one bound to the other
        if (was_upper)
            bitset_clear(simplex->upper, entering);
        else
            bitset_set(simplex->upper, entering);
        return true;
    }
    leaving = simplex->basis[place];
    if (leaves_upper)
        bitset_set(simplex->upper, leaving);
    if (was_upper)
        bitset_clear(simplex->upper, entering);
    pivot(simplex, place);
    simplex->basis[place] = entering;
    simplex->values[place] = was_upper ? upper_of(simplex, entering) - step : step;
    return true;
}

static void start_afresh(Simplex *simplex) {
    memset(simplex->upper, 0, simplex->words * sizeof *simplex->upper);
    reset(simplex);
    fill_values(simplex);
}

static bool is_feasible(const Simplex *simplex) {
    for (uint32_t place = 0; place < simplex->packing->dims; place++) {
        double value = simplex->values[place], slack = FEASIBLE * fmax(1, fabs(value));

        if (!(value >= -slack && value <= upper_of(simplex, simplex->basis[place]) + slack)) // NaN too
            return false;
    }
    return true;
}

static void start_from_last(Simplex *simplex) {
    rebuild(simplex);
    fill_values(simplex);
    if (!is_feasible(simplex))
        start_afresh(simplex);
}

uint32_t simplex_solve(Simplex *simplex, uint32_t kind, const double *worth, const uint32_t *left) {
    uint32_t dims = simplex->packing->dims, pivots = 0;

    simplex->kind = kind;
    simplex->worth = worth;
    simplex->left = left;
    simplex->basis = simplex->bases + (size_t)kind * dims;
    simplex->upper = simplex->at_most + (size_t)kind * simplex->words;
    if (left || simplex->limited[kind]) // the bounds differ from those of the last solve
        start_afresh(simplex);
    else
        start_from_last(simplex);
    simplex->limited[kind] = left != NULL;
    while (pivots < PIVOTS_MAX && step_once(simplex))
        pivots++;
    fill_multipliers(simplex);
    for (uint32_t dim = 0; dim < dims; dim++) {
        if (!(simplex->multipliers[dim] > 0)) // NaN too
            simplex->multipliers[dim] = 0;
    }
    return pivots;
}

// Scales the counts down so that they fit, in case of rounding errors.
static void make_feasible(const Simplex *simplex, double *counts) {
    const Packing *packing = simplex->packing;
    double most = 1;

    for (uint32_t item = 0; item < packing->items.count; item++)
        counts[item] = fmin(fmax(counts[item], 0), simplex_most(simplex, item));
    for (uint32_t dim = 0; dim < packing->dims; dim++) {
        double room = (double)packing->kinds.items[simplex->kind].room[dim] / packing->scales[dim], sum = 0;

        for (uint32_t item = 0; item < packing->items.count; item++)
            sum += counts[item] * size_of(simplex, item)[dim];
        if (sum > room * most)
            most = sum / room;
    }
    for (uint32_t item = 0; item < packing->items.count && most > 1; item++)
        counts[item] /= most;
}

void simplex_solution(const Simplex *simplex, double *ret_counts) {
    memset(ret_counts, 0, simplex->packing->items.count * sizeof *ret_counts);
    for (bitset_each(item, simplex->upper, simplex->words))
        ret_counts[item] = simplex_most(simplex, item);
    for (uint32_t place = 0; place < simplex->packing->dims; place++) {
        if (!IS_SLACK(simplex->basis[place]))
            ret_counts[simplex->basis[place]] = simplex->values[place];
    }
    make_feasible(simplex, ret_counts);
}
