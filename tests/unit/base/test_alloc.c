// Checked memory: what is zeroed, what is kept, what an empty request gives.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on

#include "base/alloc.h"

typedef struct {
    uint64_t a, b;
} Pair;

static void new_memory_is_zeroed(void **state) {
    Pair *one = NEW(Pair), *many = NEW_ARRAY(Pair, 100);

    (void)state;
    assert_true(one->a == 0 && one->b == 0);
    for (int i = 0; i < 100; i++)
        assert_true(many[i].a == 0 && many[i].b == 0);
    free(one);
    free(many);
}

static void nothing_asked_for_is_a_valid_pointer(void **state) {
    Pair *none = NEW_ARRAY(Pair, 0), *resized = NULL;
    void *raw = alloc_raw(0);

    (void)state;
    assert_non_null(none);
    assert_non_null(raw);
    assert_non_null(RESIZE(resized, 0));
    free(none);
    free(raw);
    free(resized);
}

static void growing_keeps_what_is_there_and_zeroes_the_rest(void **state) {
    uint32_t *items = NULL, capacity = 0;

    (void)state;
    for (uint32_t i = 0; i < 1000; i++) {
        GROW(items, capacity, i + 1);
        assert_true(capacity > i);
        for (uint32_t k = i; k < capacity; k++)
            assert_int_equal(items[k], 0);
        items[i] = i + 1;
    }
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(items[i], i + 1);
    free(items);
}

static void growing_by_one_at_a_time_seldom_moves(void **state) {
    uint32_t *items = NULL, capacity = 0, moves = 0;

    (void)state;
    for (uint32_t i = 0; i < 100000; i++) {
        uint32_t before = capacity;

        GROW(items, capacity, i + 1);
        moves += capacity != before;
    }
    assert_true(moves < 20);
    free(items);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_memory_is_zeroed),
        cmocka_unit_test(nothing_asked_for_is_a_valid_pointer),
        cmocka_unit_test(growing_keeps_what_is_there_and_zeroes_the_rest),
        cmocka_unit_test(growing_by_one_at_a_time_seldom_moves),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
