// Growing vectors and hash indexes.
#include "base/map.h"
#include "base/random.h"
#include "base/vec.h"
#include "harness/test.h"

#include <stdio.h>

static Arena arena;

static void end(void) {
    arena_free(&arena);
}

AFTER_EACH(end);

TEST(a_vector_keeps_its_elements_while_it_grows) {
    U32Vec vec = {0};
    uint32_t expected = 0;

    for (uint32_t i = 0; i < 100000; i++)
        vec_push(&arena, &vec, i * 3);
    assert_int_equal(vec.count, 100000);
    for (vec_each(const uint32_t, item, &vec)) {
        assert_int_equal(*item, expected);
        expected += 3;
    }
    assert_int_equal(expected, 300000);
    assert_int_equal(*vec_last(&vec), 299997);
}

TEST(a_new_element_is_zeroed_even_in_a_used_place) {
    struct Pair {
        uint64_t a, b;
    };
    Vec(struct Pair) vec = {0};

    for (int i = 0; i < 9; i++)
        vec_push(&arena, &vec, (struct Pair){1, 2});
    vec.count = 3;
    assert_int_equal(vec_add(&arena, &vec)->b, 0);
    assert_int_equal(vec.items[2].b, 2);
    assert_int_equal(vec.count, 4);
}

TEST(iterating_an_empty_vector_does_nothing) {
    U32Vec vec = {0};

    for (vec_each(uint32_t, item, &vec))
        fail_msg("an element at %p", (void *)item);
}

TEST(an_empty_map_finds_nothing) {
    IndexMap map = {0};
    uint32_t cursor = 0;

    assert_int_equal(index_map_next(&map, 42, &cursor), INDEX_NONE);
    assert_int_equal(u64_map_get(&map, 42), INDEX_NONE);
}

TEST(a_map_finds_all_values_of_a_hash) {
    IndexMap map = {0};
    uint32_t cursor = 0, found, sum = 0, count = 0;

    for (uint32_t i = 0; i < 1000; i++)
        index_map_add(&arena, &map, i % 10, i);
    while ((found = index_map_next(&map, 7, &cursor)) != INDEX_NONE) {
        assert_int_equal(found % 10, 7);
        sum += found;
        count++;
    }
    assert_int_equal(count, 100);
    assert_int_equal(sum, 50200); // 7 + 17 + … + 997
    assert_int_equal(map.count, 1000);
}

TEST(hash_zero_is_as_good_as_any) {
    IndexMap map = {0};

    u64_map_put(&arena, &map, 0, 5);
    assert_int_equal(u64_map_get(&map, 0), 5);
    assert_int_equal(u64_map_get(&map, 1), INDEX_NONE);
}

TEST(putting_twice_replaces) {
    IndexMap map = {0};

    for (uint64_t key = 0; key < 5000; key++)
        u64_map_put(&arena, &map, key << 32, (uint32_t)key);
    for (uint64_t key = 0; key < 5000; key += 2)
        u64_map_put(&arena, &map, key << 32, (uint32_t)key + 1);
    assert_int_equal(map.count, 5000);
    for (uint64_t key = 0; key < 5000; key++)
        assert_int_equal(u64_map_get(&map, key << 32), key % 2 ? key : key + 1);
    assert_int_equal(u64_map_get(&map, UINT64_C(5000) << 32), INDEX_NONE);
}

// Keys after a removed one in its probe sequence must still be found.
TEST(removing_breaks_no_other_key) {
    IndexMap map = {0};
    uint32_t expected[512];
    Random random;

    random_seed(&random, 1);
    memset(expected, 0xff, sizeof expected);
    for (uint32_t i = 0; i < 200000; i++) {
        uint32_t key = random_below(&random, 512), count = 0;

        expected[key] = random_chance(&random, 50) ? INDEX_NONE : i;
        u64_map_put(&arena, &map, key, expected[key]);
        if (i % 997)
            continue;
        for (uint32_t other = 0; other < 512; other++) {
            assert_int_equal(u64_map_get(&map, other), expected[other]);
            count += expected[other] != INDEX_NONE;
        }
        assert_int_equal(map.count, count);
    }
}

TEST(a_map_is_never_full) {
    IndexMap map = {0};

    for (uint32_t i = 0; i < 3000; i++) {
        index_map_add(&arena, &map, hash_u64(i), i);
        assert_true((uint64_t)map.count * 4 <= (uint64_t)map.capacity * 3);
    }
}
