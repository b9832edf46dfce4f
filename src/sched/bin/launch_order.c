// Making launch_orders and the quanta that their amounts are in.
#include "sched/bin/launch_order.h"

#include "base/numbers.h"

#include <math.h>
#include <stdlib.h>

// --- quanta

static int64_t largest_free(const PoolVec *pools, uint32_t dim) {
    int64_t largest = 0;

    for (vec_each(Pool, pool, pools)) {
        for (uint32_t row = 0; row < pool->table->row_count; row++) {
            int64_t free = pool->room->free[(size_t)row * pool->room->dims + dim];

            if (free > largest && free < ATTACHMENTS_UNLIMITED)
                largest = free;
        }
    }
    return largest;
}

void quanta_make(Arena *arena, const ClassTable *classes, const PoolVec *pools, Quanta *ret_quanta) {
    enum { RANGE = 1 << 29 };
    Quanta quanta = {.dims = classes->dimensions.count};

    quanta.unit = arena_array(arena, int64_t, quanta.dims);
    for (uint32_t dim = 0; dim < quanta.dims; dim++) {
        int64_t unit = 0, coarsest = largest_free(pools, dim) / RANGE + 1;

        for (vec_each(PodClass, class, &classes->classes))
            unit = i64_gcd(class->requests[dim] > 0 ? class->requests[dim] : 0, unit);
        quanta.unit[dim] = unit > coarsest ? unit : coarsest;
    }
    *ret_quanta = quanta;
}

static int32_t quanta_down(const Quanta *quanta, uint32_t dim, int64_t amount) {
    int64_t count = amount / quanta->unit[dim];

    return amount < 0 ? -1 : count > INT32_MAX / 4 ? INT32_MAX / 4 : (int32_t)count;
}

// --- orders

static int launch_rank(const Offering *offering) {
    return offering->capacity_type == NAME_RESERVED ? 0 : offering->capacity_type == NAME_SPOT ? 1 : 2;
}

typedef struct {
    LaunchOption launch;
    double list_price; // the lowest of any capacity type
    Slice name;
} Entry;

static int compare_launches(const void *a, const void *b) {
    const Entry *x = a, *y = b;
    int by_rank = launch_rank(x->launch.offering) - launch_rank(y->launch.offering);

    if (by_rank)
        return by_rank;
    if (x->launch.price != y->launch.price)
        return x->launch.price < y->launch.price ? -1 : 1;
    return (x->launch.row > y->launch.row) - (x->launch.row < y->launch.row);
}

static int compare_listed(const void *a, const void *b) {
    const Entry *x = a, *y = b;

    if (x->list_price != y->list_price)
        return x->list_price < y->list_price ? -1 : 1;
    return slice_cmp(x->name, y->name);
}

// What a launch of the row would take, of the offerings that the state allows.
static void read_row(const TypeRow *row, const LabelState *state, Entry *entry) {
    for (vec_each(const RowOffering, option, &row->offerings)) {
        const Offering *offering = option->offering, *best = entry->launch.offering;

        if (!bitset_has(state->shapes, option->shape))
            continue;
        if (offering->price_per_hour < entry->list_price)
            entry->list_price = offering->price_per_hour;
        if (best && (launch_rank(best) < launch_rank(offering) ||
                     (launch_rank(best) == launch_rank(offering) && best->price_per_hour <= offering->price_per_hour)))
            continue;
        entry->launch.offering = offering;
        entry->launch.price = offering->price_per_hour;
    }
}

static Entry *read_rows(Arena *scratch, const TypeTable *table, const LabelState *state, const Symbols *symbols,
                        uint32_t *ret_count) {
    Entry *entries = arena_array(scratch, Entry, table->row_count);
    uint32_t count = 0;

    for (bitset_each(row, state->rows, table->words)) {
        Entry *entry = &entries[count];

        *entry = (Entry){.launch = {.row = row}, INFINITY, symbol_text(symbols, table->rows[row].type->name)};
        read_row(&table->rows[row], state, entry);
        count += entry->launch.offering != NULL;
    }
    *ret_count = count;
    return entries;
}

// --- steps

static bool beats(const Room *room, uint32_t row, uint32_t other) {
    const int64_t *a = room->free + (size_t)row * room->dims, *b = room->free + (size_t)other * room->dims;

    for (uint32_t dim = 0; dim < room->dims; dim++) {
        if (a[dim] < b[dim])
            return false;
    }
    return true;
}

static void find_steps(Arena *arena, const Room *room, LaunchOrder *launch_order) {
    launch_order->steps = arena_array(arena, uint32_t, launch_order->launch_count);
    for (uint32_t i = 0; i < launch_order->launch_count; i++) {
        uint32_t row = launch_order->launches[i].row, j = launch_order->step_count;
        bool beaten = !bitset_has(room->usable, row);

        while (j-- > 0 && !beaten)
            beaten = beats(room, launch_order->launches[launch_order->steps[j]].row, row);
        if (!beaten)
            launch_order->steps[launch_order->step_count++] = i;
    }
}

static void fill_steps(Arena *arena, const Room *room, const Quanta *quanta, LaunchOrder *launch_order) {
    launch_order->prices = arena_array(arena, float, launch_order->step_count);
    launch_order->free = arena_array(arena, int32_t, (size_t)launch_order->step_count * room->dims);
    for (uint32_t step = 0; step < launch_order->step_count; step++) {
        const LaunchOption *launch = &launch_order->launches[launch_order->steps[step]];

        launch_order->prices[step] = (float)launch->price;
        for (uint32_t dim = 0; dim < room->dims; dim++)
            launch_order->free[(size_t)dim * launch_order->step_count + step] =
                quanta_down(quanta, dim, room->free[(size_t)launch->row * room->dims + dim]);
    }
}

LaunchOrder *launch_order_make(Arena *arena, const Pool *pool, const LabelState *state, const Quanta *quanta,
                               const Symbols *symbols) {
    LaunchOrder *launch_order = arena_new(arena, LaunchOrder);
    Arena scratch = {0};
    Entry *entries = read_rows(&scratch, pool->table, state, symbols, &launch_order->launch_count);

    launch_order->launches = arena_array(arena, LaunchOption, launch_order->launch_count);
    launch_order->listed = arena_array(arena, uint32_t, launch_order->launch_count);
    qsort(entries, launch_order->launch_count, sizeof *entries, compare_listed);
    for (uint32_t i = 0; i < launch_order->launch_count; i++)
        launch_order->listed[i] = entries[i].launch.row;
    qsort(entries, launch_order->launch_count, sizeof *entries, compare_launches);
    for (uint32_t i = 0; i < launch_order->launch_count; i++)
        launch_order->launches[i] = entries[i].launch;
    arena_free(&scratch);
    find_steps(arena, pool->room, launch_order);
    fill_steps(arena, pool->room, quanta, launch_order);
    return launch_order;
}

const LaunchOption *launch_order_choice(const LaunchOrder *launch_order, const uint64_t *rows) {
    for (uint32_t i = 0; i < launch_order->launch_count; i++) {
        if (bitset_has(rows, launch_order->launches[i].row))
            return &launch_order->launches[i];
    }
    return NULL;
}
