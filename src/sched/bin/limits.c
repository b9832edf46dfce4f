// Charges of claims to the limits of their pool.
//
// A claim is charged with the type that it is expected to become, so that limits are not used up by types that are not
// launched. With minValues a claim must list several types, so the largest of the smallest ones that suffice is
// charged. After placing, claims that could together exceed the limits lose their larger types (claims_settle_limits),
// and from then on the largest type is charged.
#include "sched/bin/limits.h"

#include "sched/bin/claim_price.h"
#include "sched/bin/claim_types.h"

// --- the largest type

static int64_t *find_largest(Solver *solver, const Pool *pool, const uint64_t *rows) {
    const TypeTable *table = pool->table;
    uint32_t dims = pool->room->dims;
    int64_t *amounts = arena_array(solver->arena, int64_t, dims);

    for (bitset_each(row, rows, table->words)) {
        for (uint32_t dim = 0; dim < dims; dim++) {
            int64_t capacity = table->capacity[(size_t)row * dims + dim];

            if (capacity > amounts[dim])
                amounts[dim] = capacity;
        }
    }
    return amounts;
}

// The largest capacity among some types of a pool, computed once per set of types, as claims often have the same.
static const int64_t *largest_capacity(Solver *solver, const Pool *pool, const uint64_t *rows) {
    uint32_t words = pool->table->words, cursor = 0, found;
    uint64_t hash = hash_combine(slice_hash((Slice){(const char *)rows, words * sizeof *rows}), (uintptr_t)pool->table);

    while ((found = index_map_next(&solver->largest_index, hash, &cursor)) != INDEX_NONE) {
        const LargestCapacity *known = &solver->largest.items[found];

        if (known->table == pool->table && bitset_eq(known->rows, rows, words))
            return known->amounts;
    }
    index_map_add(solver->arena, &solver->largest_index, hash, solver->largest.count);
    vec_push(solver->arena, &solver->largest,
             (LargestCapacity){pool->table, arena_copy(solver->arena, rows, words * sizeof *rows),
                               find_largest(solver, pool, rows)});
    return vec_last(&solver->largest)->amounts;
}

// --- the smallest types

enum { LIST_STEPS = BUDGET_STEPS_PER_US / 2 }; // of the budget: asking whether a claim can list some types

static bool within(const Pool *pool, uint32_t row, uint32_t bound) {
    uint32_t dims = pool->room->dims;

    for (uint32_t dim = 0; dim < dims; dim++) {
        if (pool->left[dim] != INT64_MAX &&
            pool->table->capacity[(size_t)row * dims + dim] > pool->table->capacity[(size_t)bound * dims + dim])
            return false;
    }
    return true;
}

// The rows of a pool that are no larger than row `bound` in any limited resource, computed once.
static const uint64_t *rows_no_larger(Solver *solver, Pool *pool, uint32_t bound) {
    if (!pool->no_larger[bound]) {
        pool->no_larger[bound] = bitset_new(solver->arena, pool->table->row_count);
        for (uint32_t row = 0; row < pool->table->row_count; row++) {
            if (within(pool, row, bound))
                bitset_set(pool->no_larger[bound], row);
        }
    }
    return pool->no_larger[bound];
}

// Whether the claim can do with those of its types that are no larger than `bound`, which are set in any case.
static bool can_do_with(Solver *solver, const Bin *bin, uint32_t bound, uint64_t *ret_rows) {
    budget_spend(&solver->budget, LIST_STEPS);
    bitset_copy(ret_rows, bin->rows, bin->pool->table->words);
    bitset_and(ret_rows, rows_no_larger(solver, bin->pool, bound), bin->pool->table->words);
    return claim_can_list(solver, bin, bin->state, ret_rows);
}

// The types of a claim that are no larger in a limited resource than the expected one; where minValues needs more
// types, no larger than a small type that leaves enough, found by halving. False: there is none.
static bool smallest_types(Solver *solver, const Bin *bin, uint64_t *ret_rows) {
    uint32_t expected = bitset_next(bin->rows, bin->pool->table->words, 0), low = 0,
             high = bin->pool->table->row_count - 1;

    claim_price(solver, bin, bin->rows, &expected, NULL);
    if (can_do_with(solver, bin, expected, ret_rows))
        return true;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (can_do_with(solver, bin, bin->pool->by_size[middle], ret_rows))
            high = middle;
        else
            low = middle + 1;
    }
    return can_do_with(solver, bin, bin->pool->by_size[high], ret_rows);
}

// --- charges

// The largest of the smallest types that the claim can list.
static const int64_t *capacity_of_smallest(Solver *solver, const Bin *bin) {
    Arena scratch = {0};
    uint64_t *rows = bitset_new(&scratch, bin->pool->table->words * 64);
    const int64_t *capacity = largest_capacity(solver, bin->pool, smallest_types(solver, bin, rows) ? rows : bin->rows);

    arena_free(&scratch);
    return capacity;
}

static const int64_t *expected_capacity(Solver *solver, const Bin *bin) {
    uint32_t row = 0;

    if (bin->pool->charge_largest)
        return largest_capacity(solver, bin->pool, bin->rows);
    if (bin->pool->min_values.count)
        return capacity_of_smallest(solver, bin);
    claim_price(solver, bin, bin->rows, &row, NULL);
    return bin->pool->table->capacity + (size_t)row * bin->pool->room->dims;
}

void claim_charge(Solver *solver, Bin *bin) {
    Pool *pool = bin->pool;
    const int64_t *capacity;

    if (!pool->limited)
        return;
    if (!bin->charge) {
        bin->charge = arena_array(solver->placing, int64_t, solver->classes.dimensions.count);
        if (pool->nodes_left != INT64_MAX)
            pool->nodes_left--;
    }
    capacity = expected_capacity(solver, bin);
    for (uint32_t dim = 0; dim < solver->classes.dimensions.count; dim++) {
        if (pool->left[dim] != INT64_MAX) {
            pool->left[dim] += bin->charge[dim] - capacity[dim];
            solver->limits_freed += bin->charge[dim] > capacity[dim];
        }
        bin->charge[dim] = capacity[dim];
    }
}

// --- cutting down

static void tighten(Solver *solver, Bin *bin) {
    uint64_t *rows = solver->rows;

    if (!smallest_types(solver, bin, rows))
        return;
    bitset_copy(bin->rows, rows, bin->pool->table->words);
    claim_charge(solver, bin);
}

void pool_tighten(Solver *solver, Pool *pool) {
    for (uint32_t i = solver->node_count; i < solver->bins.count; i++) {
        if (solver->bins.items[i].pool == pool && !solver->bins.items[i].gone)
            tighten(solver, &solver->bins.items[i]);
    }
}

// Whether the limits suffice for any number of claims that may be opened, of any type.
static bool limits_are_ample(const Solver *solver, const Pool *pool) {
    int64_t claims = solver->bins.count - solver->node_count;

    for (vec_each(const PodClass, class, &solver->classes.classes))
        claims += class->count - class->placed;
    for (uint32_t dim = 0; dim < pool->room->dims; dim++) {
        int64_t most;

        // `left` is the limit minus present charges, which are counted in `most` again, so this is conservative.
        if (pool->left[dim] != INT64_MAX &&
            (__builtin_mul_overflow(claims, pool->largest[dim], &most) || most > pool->left[dim]))
            return false;
    }
    return true;
}

static bool is_overdrawn(const Pool *pool) {
    for (uint32_t dim = 0; dim < pool->room->dims; dim++) {
        if (pool->left[dim] < 0)
            return true;
    }
    return false;
}

static void charge_all(Solver *solver, const Pool *pool) {
    for (uint32_t i = solver->node_count; i < solver->bins.count; i++) {
        if (solver->bins.items[i].pool == pool && !solver->bins.items[i].gone)
            claim_charge(solver, &solver->bins.items[i]);
    }
}

void claims_loosen_limits(Solver *solver) {
    for (vec_each(Pool, pool, &solver->pools)) {
        if (!pool->limited || !pool->charge_largest)
            continue;
        pool->charge_largest = false;
        charge_all(solver, pool);
    }
}

bool claims_settle_limits(Solver *solver) {
    bool changed = false;

    for (vec_each(Pool, pool, &solver->pools)) {
        if (!pool->limited || pool->charge_largest || limits_are_ample(solver, pool))
            continue;
        pool->charge_largest = true;
        charge_all(solver, pool);
        if (!is_overdrawn(pool))
            continue;
        pool_tighten(solver, pool);
        changed = true;
    }
    return changed;
}
