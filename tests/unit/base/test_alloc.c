// Checked allocation: zeroing, reallocation, empty requests.
#include "base/alloc.h"
#include "harness/test.h"

typedef struct {
    uint64_t a, b;
} Pair;

TEST(new_memory_is_zeroed) {
    Pair *one = NEW(Pair), *many = NEW_ARRAY(Pair, 100);

    assert_true(one->a == 0 && one->b == 0);
    for (int i = 0; i < 100; i++)
        assert_true(many[i].a == 0 && many[i].b == 0);
    free(one);
    free(many);
}

TEST(nothing_asked_for_is_a_valid_pointer) {
    Pair *none = NEW_ARRAY(Pair, 0), *resized = NULL;
    void *raw = alloc_raw(0);

    assert_non_null(none);
    assert_non_null(raw);
    assert_non_null(RESIZE(resized, 0));
    free(none);
    free(raw);
    free(resized);
}

TEST(growing_keeps_what_is_there_and_zeroes_the_rest) {
    uint32_t *items = NULL, capacity = 0;

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

TEST(growing_by_one_at_a_time_seldom_moves) {
    uint32_t *items = NULL, capacity = 0, moves = 0;

    for (uint32_t i = 0; i < 100000; i++) {
        uint32_t before = capacity;

        GROW(items, capacity, i + 1);
        moves += capacity != before;
    }
    assert_true(moves < 20);
    free(items);
}
