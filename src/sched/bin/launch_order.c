// Makes launch orders, and the quanta of their amounts.
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
    double list_price; // lowest price of any capacity type
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

// The offering that a launch of the row takes, among those of the shapes.
static void read_row(const TypeRow *row, const uint64_t *shapes, Entry *entry) {
    for (vec_each(const RowOffering, option, &row->offerings)) {
        const Offering *offering = option->offering, *best = entry->launch.offering;

        if (!bitset_has(shapes, option->shape))
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

static Entry *read_rows(Arena *scratch, const Pool *pool, const uint64_t *shapes, const Symbols *symbols,
                        uint32_t *ret_count) {
    const TypeTable *table = pool->table;
    Entry *entries = arena_array_raw(scratch, Entry, table->row_count);
    uint32_t count = 0;

    for (bitset_each(row, pool->label_rows, table->words)) {
        Entry *entry = &entries[count];

        *entry = (Entry){.launch = {.row = row}, INFINITY, symbol_text(symbols, table->rows[row].type->name)};
        read_row(&table->rows[row], shapes, entry);
        count += entry->launch.offering != NULL;
    }
    *ret_count = count;
    return entries;
}

// --- steps

enum { STEP_ITSELF = INDEX_NONE, STEP_NEVER = INDEX_NONE - 1 };

static bool beats(const Room *room, uint32_t row, uint32_t other) {
    const int64_t *a = room->free + (size_t)row * room->dims, *b = room->free + (size_t)other * room->dims;

    for (uint32_t dim = 0; dim < room->dims; dim++) {
        if (a[dim] < b[dim])
            return false;
    }
    return true;
}

// The last of `steps` (into options) that beats this option; STEP_ITSELF: none does.
static uint32_t find_better(const Room *room, const LaunchOption *options, uint32_t option, const uint32_t *steps,
                            uint32_t step_count) {
    while (step_count-- > 0) {
        if (beats(room, options[steps[step_count]].row, options[option].row))
            return steps[step_count];
    }
    return STEP_ITSELF;
}

static void find_beaten(Arena *arena, Arena *scratch, const Room *room, LaunchList *list) {
    uint32_t *steps = arena_array_raw(scratch, uint32_t, list->count), step_count = 0;

    list->beaten_by = arena_array_raw(arena, uint32_t, list->count);
    for (uint32_t i = 0; i < list->count; i++) {
        if (!bitset_has(room->usable, list->options[i].row))
            list->beaten_by[i] = STEP_NEVER;
        else
            list->beaten_by[i] = find_better(room, list->options, i, steps, step_count);
        if (list->beaten_by[i] == STEP_ITSELF)
            steps[step_count++] = i;
    }
}

LaunchList *launch_list_make(Arena *arena, const Pool *pool, const uint64_t *shapes, const Symbols *symbols) {
    LaunchList *list = arena_new(arena, LaunchList);
    Arena scratch = {0};
    Entry *entries = read_rows(&scratch, pool, shapes, symbols, &list->count);

    list->shapes = arena_copy(arena, shapes, bitset_words(pool->table->shape_count) * sizeof *shapes);
    list->options = arena_array_raw(arena, LaunchOption, list->count);
    list->listed = arena_array_raw(arena, uint32_t, list->count);
    qsort(entries, list->count, sizeof *entries, compare_listed);
    for (uint32_t i = 0; i < list->count; i++)
        list->listed[i] = entries[i].launch.row;
    qsort(entries, list->count, sizeof *entries, compare_launches);
    for (uint32_t i = 0; i < list->count; i++)
        list->options[i] = entries[i].launch;
    find_beaten(arena, &scratch, pool->room, list);
    arena_free(&scratch);
    return list;
}

// --- one state

// Finds the steps of a state. A row that is beaten by a step of the list is no step if the state has that step.
static void find_steps(const Room *room, const LabelState *state, LaunchOrder *launch_order) {
    const LaunchList *list = launch_order->list;

    for (bitset_each(option, launch_order->options, bitset_words(list->count))) {
        uint32_t by = list->beaten_by[option];

        if (by != STEP_ITSELF && (by == STEP_NEVER || bitset_has(state->rows, list->options[by].row)))
            continue;
        if (by == STEP_ITSELF ||
            find_better(room, list->options, option, launch_order->steps, launch_order->step_count) == STEP_ITSELF)
            launch_order->steps[launch_order->step_count++] = option;
    }
}

static void fill_least_prices(Arena *arena, LaunchOrder *launch_order) {
    launch_order->least_prices = arena_array(arena, float, (launch_order->step_count + PRICE_BLOCK - 1) / PRICE_BLOCK);
    for (uint32_t step = 0; step < launch_order->step_count; step++) {
        float *least = &launch_order->least_prices[step / PRICE_BLOCK], price = launch_order->prices[step];

        *least = step % PRICE_BLOCK == 0 || price < *least ? price : *least;
    }
}

static void fill_steps(Arena *arena, const Room *room, const Quanta *quanta, LaunchOrder *launch_order) {
    launch_order->prices = arena_array(arena, float, launch_order->step_count);
    launch_order->free = arena_array(arena, int32_t, (size_t)launch_order->step_count * room->dims);
    for (uint32_t step = 0; step < launch_order->step_count; step++) {
        const LaunchOption *launch = launch_at_step(launch_order, step);

        launch_order->prices[step] = (float)launch->price;
        for (uint32_t dim = 0; dim < room->dims; dim++)
            launch_order->free[(size_t)dim * launch_order->step_count + step] =
                quanta_down(quanta, dim, room->free[(size_t)launch->row * room->dims + dim]);
    }
}

LaunchOrder *launch_order_make(Arena *arena, const Pool *pool, const LaunchList *list, const LabelState *state,
                               const Quanta *quanta) {
    LaunchOrder *launch_order = arena_new(arena, LaunchOrder);
    Arena scratch = {0};
    uint32_t *steps = arena_array_raw(&scratch, uint32_t, list->count);

    *launch_order = (LaunchOrder){.list = list, .options = bitset_new(arena, list->count), .steps = steps};
    for (uint32_t i = 0; i < list->count; i++) {
        if (bitset_has(state->rows, list->options[i].row))
            bitset_set(launch_order->options, i);
    }
    find_steps(pool->room, state, launch_order);
    launch_order->steps = arena_copy(arena, steps, launch_order->step_count * sizeof *steps);
    arena_free(&scratch);
    fill_steps(arena, pool->room, quanta, launch_order);
    fill_least_prices(arena, launch_order);
    return launch_order;
}

const LaunchOption *launch_order_choice(const LaunchOrder *launch_order, const uint64_t *rows) {
    const LaunchList *list = launch_order->list;

    for (uint32_t word = 0, words = bitset_words(list->count); word < words; word++) { // hot loop
        for (uint64_t left = launch_order->options[word]; left; left &= left - 1) {
            const LaunchOption *option = &list->options[word * 64 + (uint32_t)__builtin_ctzll(left)];

            if (bitset_has(rows, option->row))
                return option;
        }
    }
    return NULL;
}
