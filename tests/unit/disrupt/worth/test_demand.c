// What pools asked for lately.
#include "disrupt/worth/demand.h"
#include "harness/test.h"

enum { POOL = 1000, OTHER };

typedef struct {
    Arena arena;
    DemandHistory history;
    int64_t minute;
} Past;

static Past *past_setup(void) {
    static Past past;

    past = (Past){.minute = 1};
    return &past;
}

static void past_teardown(Past *past) {
    demand_free(&past->history);
    arena_free(&past->arena);
}
FIXTURE(Past, past_setup, past_teardown);

static Mono now(const Past *past) {
    return (Mono){past->minute * NS_PER_MIN};
}

static Resources amount(Past *past, Symbol resource, int64_t value) {
    Resources list = {0};

    resources_set(&past->arena, &list, resource, value);
    return list;
}

// One minute later a pool asks for that much.
static void asks(Past *past, Symbol pool, Symbol resource, int64_t value) {
    PoolAmountVec demand = {0};

    past->minute++;
    vec_push(&past->arena, &demand, (PoolAmount){pool, amount(past, resource, value)});
    demand_note(&past->history, now(past), &demand);
}

static int64_t needed_ago(Past *past, Symbol resource, int64_t room) {
    Resources list = amount(past, resource, room);
    int64_t ago_ns = demand_needed_ago_ns(&past->history, now(past), POOL, &list);

    return ago_ns == INT64_MAX ? -1 : ago_ns / NS_PER_MIN;
}

TEST_F(Past, f, what_was_asked_for_is_known_by_its_last_time) {
    Resources room = amount(f, NAME_CPU, 0);

    asks(f, POOL, NAME_CPU, 8000);
    asks(f, POOL, NAME_CPU, 9000);
    asks(f, POOL, NAME_CPU, 6000);
    asks(f, POOL, NAME_CPU, 3000);
    assert_int_equal(needed_ago(f, NAME_CPU, 10000), -1); // 9,000 fit
    assert_int_equal(needed_ago(f, NAME_CPU, 9900), 2);
    assert_int_equal(needed_ago(f, NAME_CPU, 7000), 2); // 6,000 fit into nodes that are not filled to the brim
    assert_int_equal(needed_ago(f, NAME_CPU, 6500), 1);
    assert_int_equal(needed_ago(f, NAME_CPU, 3000), 1); // what is asked for now does not count: it is there
    assert_true(demand_needed_ago_ns(&f->history, now(f), OTHER, &room) == INT64_MAX);
    assert_true(demand_needed_ago_ns(NULL, now(f), POOL, &room) == INT64_MAX);
}

TEST_F(Past, f, what_falls_by_a_hair_is_still_the_peak) {
    asks(f, POOL, NAME_CPU, 10000);
    asks(f, POOL, NAME_CPU, 9900);
    asks(f, POOL, NAME_CPU, 9810);
    asks(f, POOL, NAME_CPU, 5000);
    assert_int_equal(f->history.lines.items[0].count, 2);
    assert_int_equal(needed_ago(f, NAME_CPU, 11000), 1);
}

TEST_F(Past, f, a_resource_that_nobody_asks_for_any_more_was_needed_then) {
    asks(f, POOL, NAME_MEMORY, 4000);
    asks(f, POOL, NAME_CPU, 1000);
    asks(f, POOL, NAME_CPU, 1000);
    assert_int_equal(needed_ago(f, NAME_CPU, 1000000), 2); // no room for memory at all
    asks(f, OTHER, NAME_CPU, 1000);
    assert_int_equal(needed_ago(f, NAME_CPU, 0), -1); // the pool is gone
}

TEST_F(Past, f, a_fall_in_many_steps_forgets_its_first_ones) {
    int64_t value = INT64_C(1) << 40;

    for (uint32_t i = 0; i < 2 * DEMAND_PEAKS_MOST; i++, value -= value / 16)
        asks(f, POOL, NAME_CPU, value);
    assert_int_equal(f->history.lines.items[0].count, DEMAND_PEAKS_MOST);
    assert_int_equal(needed_ago(f, NAME_CPU, INT64_C(1) << 40), -1);
    assert_int_equal(needed_ago(f, NAME_CPU, value), 1);
}

TEST_F(Past, f, a_copy_says_the_same) {
    DemandHistory copy;
    Resources room = amount(f, NAME_CPU, 3000);

    asks(f, POOL, NAME_CPU, 8000);
    asks(f, POOL, NAME_CPU, 3000);
    copy = demand_copy(&f->arena, &f->history);
    demand_free(&f->history);
    assert_int_equal(demand_needed_ago_ns(&copy, now(f), POOL, &room), NS_PER_MIN);
}
