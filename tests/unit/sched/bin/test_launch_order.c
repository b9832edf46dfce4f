// Launch orders: the order of launches, the steps, and amounts in quanta. Each is compared with a naive computation on
// random types.
#include "base/random.h"
#include "harness/test.h"
#include "sched/bin/launch_order.h"

#include <math.h>
#include <stdio.h>

enum { MARKETS = 300, DIMS_MAX = 4, SHAPES = 12 };

// A pool with random types, and a label state of a claim.
typedef struct {
    Arena arena;
    Symbols symbols;
    Random random;
    ClassTable classes;
    TypeTable table;
    TypeRow *type_rows; // of the table
    Room room;
    PoolVec pools;
    LabelState state;
    Quanta quanta;
} Market;

static uint32_t below(Market *market, uint32_t bound) {
    return random_below(&market->random, bound);
}

// --- random types

// Few prices, so that there are ties.
static Offering *random_offering(Market *market) {
    static const Symbol kinds[] = {NAME_SPOT, NAME_ON_DEMAND, NAME_ON_DEMAND, NAME_RESERVED};
    Offering *offering = arena_new(&market->arena, Offering);

    offering->capacity_type = kinds[below(market, 4)];
    offering->price_per_hour = (1 + below(market, 20)) / 10.0;
    return offering;
}

static void fill_row(Market *market, uint32_t row) {
    InstanceType *type = arena_new(&market->arena, InstanceType);
    TypeRow *type_row = &market->type_rows[row];
    uint32_t offerings = below(market, 5);

    // Names are not in the order of rows, and some rows have the same name, as rows of capacity overrides do.
    type->name = symbol_intern(&market->symbols, arena_printf(&market->arena, "type-%u", below(market, 60)));
    *type_row = (TypeRow){.type = type, .type_index = row};
    for (uint32_t i = 0; i < offerings; i++) {
        RowOffering option = {random_offering(market), below(market, SHAPES)};

        vec_push(&market->arena, &type_row->offerings, option);
    }
    for (uint32_t dim = 0; dim < market->room.dims; dim++)
        market->room.free[row * market->room.dims + dim] = (int64_t)below(market, 9) * 500 - 500;
    if (below(market, 10))
        bitset_set(market->room.usable, row);
    if (below(market, 6))
        bitset_set(market->state.rows, row);
}

static void make_class(Market *market) {
    PodClass *class = vec_add(&market->arena, &market->classes.classes);

    class->requests = arena_array(&market->arena, int64_t, market->room.dims);
    for (uint32_t dim = 0; dim < market->room.dims; dim++)
        class->requests[dim] = 500 * (int64_t)below(market, 4);
}

static void make_market(Market *market, uint64_t seed) {
    uint32_t rows;

    *market = (Market){0};
    random_seed(&market->random, seed);
    names_init(&market->symbols);
    rows = 1 + below(market, seed % 10 ? 40 : 150);
    market->classes.dimensions.count = 1 + below(market, DIMS_MAX);
    market->table = (TypeTable){.row_count = rows, .words = bitset_words(rows), .shape_count = SHAPES};
    market->table.rows = market->type_rows = arena_array(&market->arena, TypeRow, rows);
    market->room = (Room){.table = &market->table, .dims = market->classes.dimensions.count};
    market->room.free = arena_array(&market->arena, int64_t, (size_t)rows * market->room.dims);
    market->room.usable = bitset_new(&market->arena, rows);
    market->state = (LabelState){.table = &market->table};
    market->state.rows = bitset_new(&market->arena, rows);
    market->state.shapes = bitset_new(&market->arena, SHAPES);
    for (uint32_t shape = 0; shape < SHAPES; shape++) {
        if (below(market, 4))
            bitset_set(market->state.shapes, shape);
    }
    for (uint32_t row = 0; row < rows; row++)
        fill_row(market, row);
    for (int i = 0; i < 3; i++)
        make_class(market);
    vec_push(&market->arena, &market->pools,
             (Pool){.table = &market->table, .room = &market->room, .label_rows = bitset_new(&market->arena, rows)});
    bitset_fill(market->pools.items[0].label_rows, rows);
    quanta_make(&market->arena, &market->classes, &market->pools, &market->quanta);
}

static LaunchOrder *make_launch_order(Market *market) {
    const Pool *pool = &market->pools.items[0];
    const LaunchList *list = launch_list_make(&market->arena, pool, market->state.shapes, &market->symbols);

    return launch_order_make(&market->arena, pool, list, &market->state, &market->quanta);
}

static void free_market(Market *market) {
    symbols_free(&market->symbols);
    arena_free(&market->arena);
}

static void each_market(void (*test)(Market *market, const LaunchOrder *launch_order)) {
    for (uint64_t seed = 1; seed <= MARKETS; seed++) {
        Market market;

        make_market(&market, seed);
        test(&market, make_launch_order(&market));
        free_market(&market);
    }
}

// --- launches

static uint32_t launch_count(const LaunchOrder *launch_order) {
    return bitset_count(launch_order->options, bitset_words(launch_order->list->count));
}

// The index in the launch list of the i-th option that the state allows.
static uint32_t option_at(const LaunchOrder *launch_order, uint32_t i) {
    uint32_t words = bitset_words(launch_order->list->count), option = bitset_next(launch_order->options, words, 0);

    while (i-- > 0)
        option = bitset_next(launch_order->options, words, option + 1);
    return option;
}

static const LaunchOption *launch_at(const LaunchOrder *launch_order, uint32_t i) {
    return &launch_order->list->options[option_at(launch_order, i)];
}

static int rank_of(const Offering *offering) {
    return offering->capacity_type == NAME_RESERVED ? 0 : offering->capacity_type == NAME_SPOT ? 1 : 2;
}

static bool goes_first(const Offering *a, const Offering *b) {
    return rank_of(a) != rank_of(b) ? rank_of(a) < rank_of(b) : a->price_per_hour < b->price_per_hour;
}

// The best offering of a row that the state allows, and the lowest price of any; NULL: the row cannot be launched.
static const Offering *best_of(const Market *market, uint32_t row, double *ret_lowest) {
    const Offering *best = NULL;

    *ret_lowest = INFINITY;
    if (!bitset_has(market->state.rows, row))
        return NULL;
    for (vec_each(const RowOffering, option, &market->table.rows[row].offerings)) {
        if (!bitset_has(market->state.shapes, option->shape))
            continue;
        *ret_lowest = fmin(*ret_lowest, option->offering->price_per_hour);
        if (!best || goes_first(option->offering, best))
            best = option->offering;
    }
    return best;
}

static void check_launches(Market *market, const LaunchOrder *launch_order) {
    uint32_t expected = 0;
    double lowest;

    for (uint32_t row = 0; row < market->table.row_count; row++)
        expected += best_of(market, row, &lowest) != NULL;
    assert_int_equal(launch_count(launch_order), expected);
    for (uint32_t i = 0; i < launch_count(launch_order); i++) {
        const LaunchOption *launch = launch_at(launch_order, i), *last = i ? launch_at(launch_order, i - 1) : NULL;
        const Offering *best = best_of(market, launch->row, &lowest);

        assert_ptr_equal(launch->offering, best);
        assert_true(launch->price == best->price_per_hour);
        if (!last)
            continue;
        assert_false(goes_first(launch->offering, last->offering));
        assert_true(goes_first(last->offering, launch->offering) || last->row < launch->row);
    }
}

TEST(launches_are_reserved_then_spot_then_on_demand_each_by_price_and_row) {
    each_market(check_launches);
}

static void check_choice(Market *market, const LaunchOrder *launch_order) {
    for (int round = 0; round < 20; round++) {
        uint64_t *rows = bitset_new(&market->arena, market->table.row_count);
        const LaunchOption *expected = NULL, *choice;

        for (uint32_t row = 0; row < market->table.row_count; row++) {
            if (below(market, 8) == 0)
                bitset_set(rows, row);
        }
        for (uint32_t i = launch_count(launch_order); i-- > 0;) {
            if (bitset_has(rows, launch_at(launch_order, i)->row))
                expected = launch_at(launch_order, i);
        }
        choice = launch_order_choice(launch_order, rows);
        assert_ptr_equal(choice, expected);
    }
}

TEST(choice_is_the_first_launch_that_is_left) {
    each_market(check_choice);
}

static void check_listed(Market *market, const LaunchOrder *launch_order) {
    const LaunchList *list = launch_order->list;
    uint32_t found = 0, last = INDEX_NONE;
    double price, last_price = 0;

    for (uint32_t i = 0; i < list->count; i++) {
        uint32_t row = list->listed[i];

        if (!best_of(market, row, &price))
            continue; // not a row of this state
        found++;
        assert_true(last == INDEX_NONE || last_price <= price);
        if (last != INDEX_NONE && last_price == price)
            assert_true(symbol_cmp(&market->symbols, market->table.rows[last].type->name,
                                   market->table.rows[row].type->name) <= 0);
        last = row;
        last_price = price;
    }
    assert_int_equal(found, launch_count(launch_order));
}

TEST(types_are_listed_by_lowest_price_then_name) {
    each_market(check_listed);
}

// --- steps

static bool has_at_least(const Market *market, uint32_t row, uint32_t other) {
    for (uint32_t dim = 0; dim < market->room.dims; dim++) {
        if (market->room.free[row * market->room.dims + dim] < market->room.free[other * market->room.dims + dim])
            return false;
    }
    return true;
}

static bool is_step(const Market *market, const LaunchOrder *launch_order, uint32_t launch) {
    uint32_t row = launch_at(launch_order, launch)->row;

    if (!bitset_has(market->room.usable, row))
        return false;
    for (uint32_t earlier = 0; earlier < launch; earlier++) {
        if (bitset_has(market->room.usable, launch_at(launch_order, earlier)->row) &&
            has_at_least(market, launch_at(launch_order, earlier)->row, row))
            return false;
    }
    return true;
}

static void check_steps(Market *market, const LaunchOrder *launch_order) {
    uint32_t at = 0;

    for (uint32_t i = 0; i < launch_count(launch_order); i++) {
        if (!is_step(market, launch_order, i))
            continue;
        assert_true(at < launch_order->step_count);
        assert_int_equal(launch_order->steps[at], option_at(launch_order, i));
        assert_true(launch_order->prices[at] == (float)launch_at(launch_order, i)->price);
        at++;
    }
    assert_int_equal(at, launch_order->step_count);
}

TEST(steps_are_the_launches_that_no_earlier_one_beats) {
    each_market(check_steps);
}

// For any load, the first option that has room for it is a step.
static void check_steps_suffice(Market *market, const LaunchOrder *launch_order) {
    for (int round = 0; round < 20; round++) {
        int64_t load[DIMS_MAX];
        uint32_t first = UINT32_MAX, first_step = UINT32_MAX;

        for (uint32_t dim = 0; dim < market->room.dims; dim++)
            load[dim] = 500 * (int64_t)below(market, 8);
        for (uint32_t i = launch_count(launch_order); i-- > 0;) {
            uint64_t *rows = bitset_new(&market->arena, market->table.row_count);
            const int64_t *free = market->room.free + (size_t)launch_at(launch_order, i)->row * market->room.dims;
            uint32_t dim = 0;

            bitset_set(rows, launch_at(launch_order, i)->row);
            while (dim < market->room.dims && load[dim] <= free[dim])
                dim++;
            if (dim == market->room.dims && bitset_intersects(rows, market->room.usable, market->table.words))
                first = i;
        }
        for (uint32_t step = 0; step < launch_order->step_count && first != UINT32_MAX; step++) {
            if (launch_order->steps[step] == option_at(launch_order, first))
                first_step = step;
        }
        assert_true(first == UINT32_MAX || first_step != UINT32_MAX);
    }
}

TEST(the_cheapest_type_for_any_load_is_a_step) {
    each_market(check_steps_suffice);
}

// --- quanta

static void make_quanta(Market *market, int64_t *requests, uint32_t count, int64_t *free, uint32_t rows) {
    *market = (Market){0};
    market->classes.dimensions.count = 1;
    for (uint32_t i = 0; i < count; i++)
        vec_push(&market->arena, &market->classes.classes, (PodClass){.requests = &requests[i]});
    market->table = (TypeTable){.row_count = rows, .words = bitset_words(rows)};
    market->room = (Room){.table = &market->table, .dims = 1, .free = free};
    vec_push(&market->arena, &market->pools, (Pool){.table = &market->table, .room = &market->room});
    quanta_make(&market->arena, &market->classes, &market->pools, &market->quanta);
}

// The free room in quanta of a launch order with one type of that much room.
static int32_t free_in_quanta(Market *market, int64_t free) {
    Offering offering = {.capacity_type = NAME_SPOT, .price_per_hour = 1};
    RowOffering option = {&offering, 0};
    InstanceType type = {.name = NAME_CPU};
    TypeRow row = {.type = &type, .offerings = {.items = &option, .count = 1}};
    TypeTable table = {.row_count = 1, .words = 1, .rows = &row, .shape_count = 1};
    uint64_t one = 1;
    Room room = {.table = &table, .dims = 1, .free = &free, .usable = &one};
    Pool pool = {.table = &table, .room = &room, .label_rows = &one};
    LabelState state = {.table = &table, .rows = &one, .shapes = &one};
    Symbols symbols = {0};
    LaunchOrder *launch_order;
    int32_t quanta;

    names_init(&symbols);
    launch_order = launch_order_make(&market->arena, &pool, launch_list_make(&market->arena, &pool, &one, &symbols),
                                     &state, &market->quanta);
    quanta = launch_order->free[0];
    symbols_free(&symbols);
    return quanta;
}

static int64_t random_amount(Random *random) {
    static const int64_t primes[] = {2, 3, 7, 101, 7919, 104729, 15485863, 2147483647, 67280421310721};
    uint32_t bits = random_below(random, 44);

    switch (random_below(random, 4)) {
    case 0:
        return primes[random_below(random, 9)];
    case 1:
        return primes[random_below(random, 6)] * (1 + random_below(random, 1000));
    case 2:
        return (int64_t)1 << bits;
    default:
        return (int64_t)(random_u64(random) >> (63 - bits));
    }
}

// What fits in quanta fits: a number of equal pods.
TEST(what_fits_in_quanta_fits) {
    Random random;

    random_seed(&random, 5);
    for (int round = 0; round < 3000; round++) {
        int64_t requests[4], free[3], largest = 0;
        Market market;

        for (int i = 0; i < 3; i++) {
            free[i] = random_amount(&random);
            largest = free[i] > largest ? free[i] : largest;
        }
        for (int i = 0; i < 4; i++)
            requests[i] = random_amount(&random) % (4 * largest + 1); // also more than any type has
        make_quanta(&market, requests, 4, free, 3);
        for (int i = 0; i < 4; i++) {
            int64_t count = 1 + random_below(&random, 20), need = quanta_up(&market.quanta, 0, requests[i]);

            for (int j = 0; j < 3; j++) {
                if (count * need <= free_in_quanta(&market, free[j]))
                    assert_true(count * requests[i] <= free[j]);
            }
        }
        arena_free(&market.arena);
    }
}

// If requests have a common divisor and room has at most 29 bits in units of it, quanta are exact, also for sums of
// different pods.
TEST(nothing_is_lost_when_requests_share_a_divisor) {
    Random random;

    random_seed(&random, 6);
    for (int round = 0; round < 3000; round++) {
        int64_t divisor = 1 + random_amount(&random) % 100000000, requests[3], free = 0, sum = 0, in_quanta = 0;
        Market market;

        for (int i = 0; i < 3; i++) {
            requests[i] = divisor * random_below(&random, 1000);
            sum += requests[i];
        }
        free = sum + (int64_t)random_below(&random, 3) - 1; // just enough, one less, one more
        make_quanta(&market, requests, 3, &free, 1);
        for (int i = 0; i < 3; i++)
            in_quanta += quanta_up(&market.quanta, 0, requests[i]);
        assert_int_equal(in_quanta <= free_in_quanta(&market, free), sum <= free);
        arena_free(&market.arena);
    }
}

TEST(too_little_for_anything_is_less_than_nothing) {
    int64_t request = 100, free = 1000;
    Market market;

    make_quanta(&market, &request, 1, &free, 1);
    assert_int_equal(free_in_quanta(&market, -1), -1);
    assert_int_equal(free_in_quanta(&market, 0), 0);
    assert_int_equal(free_in_quanta(&market, 99), 0);
    assert_int_equal(free_in_quanta(&market, 100), 1);
    assert_int_equal(quanta_up(&market.quanta, 0, 0), 0);
    assert_int_equal(quanta_up(&market.quanta, 0, 1), 1);
    assert_int_equal(quanta_up(&market.quanta, 0, 100), 1);
    assert_int_equal(quanta_up(&market.quanta, 0, 101), 2);
    arena_free(&market.arena);
}

// Unlimited attachments do not make the quanta coarse.
TEST(unlimited_attachments_are_counted_exactly) {
    int64_t request = 1, free[] = {25, ATTACHMENTS_UNLIMITED};
    Market market;

    make_quanta(&market, &request, 1, free, 2);
    assert_int_equal(free_in_quanta(&market, 25), 25);
    assert_int_equal(quanta_up(&market.quanta, 0, 25), 25);
    assert_true(free_in_quanta(&market, ATTACHMENTS_UNLIMITED) >= 1000000);
    arena_free(&market.arena);
}
