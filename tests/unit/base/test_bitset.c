// Bitsets, checked against plain arrays of bool over sizes around the word borders.
#include "base/bitset.h"
#include "base/random.h"
#include "harness/test.h"

#include <stdio.h>

enum { BITS_MAX = 300 };

static const uint32_t sizes[] = {1, 2, 63, 64, 65, 127, 128, 129, 200, BITS_MAX};
#define SIZE_COUNT (sizeof sizes / sizeof *sizes)

static Arena arena;

static void end(void) {
    arena_free(&arena);
}

AFTER_EACH(end);

static uint64_t *random_set(Random *random, uint32_t bits, bool *model) {
    uint64_t *set = bitset_new(&arena, bits);

    for (uint32_t i = 0; i < bits; i++) {
        model[i] = random_chance(random, 30);
        if (model[i])
            bitset_set(set, i);
    }
    return set;
}

TEST(fill_sets_these_bits_and_no_other) {
    for (uint32_t bits = 0; bits <= BITS_MAX; bits++) {
        uint64_t *set = bitset_new(&arena, BITS_MAX);

        bitset_fill(set, bits);
        assert_int_equal(bitset_count(set, bitset_words(BITS_MAX)), bits);
        for (uint32_t i = 0; i < BITS_MAX; i++)
            assert_int_equal(bitset_has(set, i), i < bits);
    }
}

TEST(bits_are_set_and_cleared_one_by_one) {
    uint64_t *set = bitset_new(&arena, BITS_MAX);

    for (uint32_t i = 0; i < BITS_MAX; i++) {
        bitset_set(set, i);
        assert_true(bitset_has(set, i));
        assert_int_equal(bitset_count(set, bitset_words(BITS_MAX)), 1);
        assert_int_equal(bitset_next(set, bitset_words(BITS_MAX), 0), i);
        bitset_clear(set, i);
        assert_true(bitset_is_empty(set, bitset_words(BITS_MAX)));
    }
}

TEST(iterating_visits_each_bit_in_order) {
    Random random;

    random_seed(&random, 1);
    for (size_t s = 0; s < SIZE_COUNT; s++) {
        bool model[BITS_MAX] = {0};
        uint64_t *set = random_set(&random, sizes[s], model);
        uint32_t words = bitset_words(sizes[s]), at = 0;

        for (bitset_each(bit, set, words)) {
            for (; at < bit; at++)
                assert_false(model[at]);
            assert_true(model[at++]);
        }
        for (; at < sizes[s]; at++)
            assert_false(model[at]);
        assert_int_equal(bitset_next(set, words, words * 64), UINT32_MAX);
    }
}

TEST(algebra_is_that_of_sets) {
    Random random;

    random_seed(&random, 2);
    for (int round = 0; round < 200; round++) {
        bool a_model[BITS_MAX] = {0}, b_model[BITS_MAX] = {0}, meets = false, subset = true;
        uint32_t bits = sizes[round % SIZE_COUNT], words = bitset_words(bits);
        uint64_t *a = random_set(&random, bits, a_model), *b = random_set(&random, bits, b_model);
        uint64_t *both = bitset_new(&arena, bits), *either = bitset_new(&arena, bits), *less = bitset_new(&arena, bits);

        bitset_copy(both, a, words);
        bitset_copy(either, a, words);
        bitset_copy(less, a, words);
        for (uint32_t i = 0; i < bits; i++) {
            meets |= a_model[i] && b_model[i];
            subset &= !a_model[i] || b_model[i];
        }
        assert_int_equal(bitset_and(both, b, words), meets);
        assert_int_equal(bitset_intersects(a, b, words), meets);
        assert_int_equal(bitset_is_subset(a, b, words), subset);
        bitset_or(either, b, words);
        bitset_and_not(less, b, words);
        for (uint32_t i = 0; i < bits; i++) {
            assert_int_equal(bitset_has(both, i), a_model[i] && b_model[i]);
            assert_int_equal(bitset_has(either, i), a_model[i] || b_model[i]);
            assert_int_equal(bitset_has(less, i), a_model[i] && !b_model[i]);
        }
        assert_true(bitset_is_subset(both, a, words));
        assert_true(bitset_eq(a, a, words));
        assert_int_equal(bitset_eq(both, a, words), subset);
    }
}
