// Seeded random numbers: equal on all machines, and uniform.
#include "base/random.h"
#include "harness/test.h"

#include <stdio.h>

TEST(the_sequence_of_a_seed_never_changes) {
    // xoshiro256** with splitmix64(42), as in the authors' reference code.
    static const uint64_t expected[] = {UINT64_C(0x15780b2e0c2ec716), UINT64_C(0x6104d9866d113a7e),
                                        UINT64_C(0xae17533239e499a1), UINT64_C(0xecb8ad4703b360a1)};
    Random random;

    random_seed(&random, 42);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_true(random_u64(&random) == expected[i]);
}

TEST(seeds_differ) {
    Random a, b;

    random_seed(&a, 0);
    random_seed(&b, 1);
    assert_true(random_u64(&a) != random_u64(&b));
}

TEST(numbers_stay_below_their_bound_and_reach_all) {
    Random random;
    int seen[10] = {0};

    random_seed(&random, 7);
    for (int i = 0; i < 100000; i++) {
        uint32_t number = random_below(&random, 10);

        assert_in_range(number, 0, 9);
        seen[number]++;
    }
    for (int i = 0; i < 10; i++)
        assert_in_range(seen[i], 9500, 10500);
    for (int i = 0; i < 100; i++)
        assert_int_equal(random_below(&random, 1), 0);
}

TEST(a_chance_is_as_often_as_it_says) {
    Random random;
    int hits = 0;

    random_seed(&random, 8);
    for (int i = 0; i < 100000; i++)
        hits += random_chance(&random, 25);
    assert_in_range(hits, 24500, 25500);
    assert_false(random_chance(&random, 0));
    assert_true(random_chance(&random, 100));
}
