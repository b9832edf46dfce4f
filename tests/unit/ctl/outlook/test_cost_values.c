// Numbers that keep nodes in an order.
#include "ctl/outlook/cost_values.h"

#include "harness/test.h"

enum { MOST = 64 };

// Assigns, and checks that the values rise within their bounds. Returns how many that were present are others now.
static uint32_t assign(const int32_t *present, uint32_t count, int32_t *values) {
    Arena arena = {0};
    uint32_t changed = 0;

    cost_values_assign(&arena, present, count, values);
    for (uint32_t i = 0; i < count; i++) {
        assert_true(values[i] < 0 && values[i] > COST_VALUE_FIRST);
        assert_true(i == 0 || values[i - 1] < values[i]);
        changed += present[i] != COST_VALUE_NONE && values[i] != present[i];
    }
    arena_free(&arena);
    return changed;
}

TEST(nobody_is_numbered_when_there_is_nobody) {
    int32_t values[1] = {7};

    assert_int_equal(assign(values, 0, values), 0);
    assert_int_equal(values[0], 7);
}

TEST(the_first_numbers_leave_room_everywhere) {
    const int32_t present[3] = {0};
    int32_t values[3];

    assign(present, 3, values);
    assert_true(values[1] - values[0] > 1000);
    assert_true(values[0] - (int64_t)COST_VALUE_FIRST > 1000000);
    assert_true(0 - (int64_t)values[2] > 1000000);
}

TEST(who_keeps_its_place_keeps_its_number) {
    const int32_t present[] = {-900, -800, 0, -700, -600};
    int32_t values[5];

    assert_int_equal(assign(present, 5, values), 0);
    assert_int_equal(values[2], -750);
}

TEST(one_that_comes_to_the_front_is_the_only_one_that_changes) {
    const int32_t present[] = {-100, -900, -800, -700};
    int32_t values[4];

    assert_int_equal(assign(present, 4, values), 1);
    assert_true(values[0] < -900);
}

TEST(one_that_falls_back_is_the_only_one_that_changes) {
    const int32_t present[] = {-800, -700, -600, -900};
    int32_t values[4];

    assert_int_equal(assign(present, 4, values), 1);
    assert_true(values[3] > -600);
}

TEST(the_lowest_of_all_is_given_to_nobody) {
    const int32_t present[] = {COST_VALUE_FIRST, INT32_MIN + 1};
    int32_t values[2];

    assert_int_equal(assign(present, 2, values), 2); // no room before the second
}

TEST(without_room_all_are_numbered_anew) {
    const int32_t present[] = {-3, 0, -2, -1};
    int32_t values[4];

    assert_int_equal(assign(present, 4, values), 3);
    assert_true(values[3] - values[0] > 1000);
}

// A node comes to the front sixty times: nobody else is ever touched.
TEST(the_front_takes_many) {
    int32_t present[MOST] = {0}, values[MOST];

    for (uint32_t count = 1; count < MOST; count++) {
        memmove(present + 1, present, (count - 1) * sizeof *present);
        present[0] = COST_VALUE_NONE;
        assert_int_equal(assign(present, count, values), 0);
        memcpy(present, values, count * sizeof *present);
    }
}
