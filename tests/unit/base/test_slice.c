// String slices.
#include "base/slice.h"
#include "harness/test.h"

#include <stdio.h>

TEST(equality_is_that_of_the_bytes) {
    assert_true(slice_eq(SLICE("a"), slice_of("a")));
    assert_false(slice_eq(SLICE("a"), SLICE("ab")));
    assert_false(slice_eq(SLICE("a"), SLICE("b")));
    assert_true(slice_eq((Slice){0}, SLICE("")));
    assert_true(slice_eq(slice_of(NULL), SLICE("")));
    assert_true(slice_eq_text(SLICE("zone"), "zone"));
    assert_false(slice_eq((Slice){"a\0b", 3}, (Slice){"a\0c", 3}));
}

TEST(order_is_byte_order_and_shorter_first) {
    static const char *const sorted[] = {"", "a", "a-b", "aa", "b", "\x7f", "\xc3\xa9"};

    for (size_t i = 0; i < sizeof sorted / sizeof *sorted; i++) {
        for (size_t j = 0; j < sizeof sorted / sizeof *sorted; j++) {
            int order = slice_cmp(slice_of(sorted[i]), slice_of(sorted[j]));

            assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
        }
    }
}

TEST(parts_are_clamped) {
    Slice s = SLICE("m5.large");

    assert_true(slice_eq(slice_from(s, 3), SLICE("large")));
    assert_int_equal(slice_from(s, 8).len, 0);
    assert_int_equal(slice_from(s, 99).len, 0);
    assert_true(slice_eq(slice_first(s, 2), SLICE("m5")));
    assert_true(slice_eq(slice_first(s, 99), s));
    assert_int_equal(slice_from((Slice){0}, 5).len, 0);
}

TEST(ends_and_insides_are_found) {
    Slice s = SLICE("karpenter.sh/nodepool");

    assert_true(slice_starts_with(s, SLICE("karpenter.sh/")));
    assert_true(slice_starts_with(s, SLICE("")));
    assert_false(slice_starts_with(SLICE("a"), SLICE("ab")));
    assert_true(slice_ends_with(s, SLICE("nodepool")));
    assert_false(slice_ends_with(SLICE("l"), SLICE("ll")));
    assert_true(slice_contains(s, SLICE("sh/node")));
    assert_true(slice_contains(s, SLICE("")));
    assert_false(slice_contains(s, SLICE("nodes")));
    assert_false(slice_contains((Slice){0}, SLICE("a")));
    assert_int_equal(slice_find(s, '/'), 12);
    assert_int_equal(slice_find(s, '!'), -1);
    assert_int_equal(slice_find((Slice){0}, 'a'), -1);
    assert_int_equal(slice_find_last(SLICE("a/b/c"), '/'), 3);
    assert_int_equal(slice_find_last(SLICE("abc"), '/'), -1);
    assert_int_equal(slice_find_last((Slice){0}, '/'), -1);
    assert_true(slice_eq(slice_after_last(SLICE("a/b/c"), '/'), SLICE("c")));
    assert_true(slice_eq(slice_after_last(SLICE("abc"), '/'), SLICE("abc")));
    assert_int_equal(slice_after_last(SLICE("a/"), '/').len, 0);
}

TEST(integers_are_read_over_the_whole_range) {
    static const struct {
        const char *text;
        int64_t value;
    } good[] = {{"0", 0},
                {"-0", 0},
                {"007", 7},
                {"42", 42},
                {"-42", -42},
                {"9223372036854775807", INT64_MAX},
                {"-9223372036854775808", INT64_MIN},
                {"-9223372036854775807", -INT64_MAX},
                {"0000000000000000000000000000001", 1}};
    static const char *const bad[] = {"",
                                      "-",
                                      "+1",
                                      " 1",
                                      "1 ",
                                      "1.0",
                                      "1e3",
                                      "--",
                                      "-+1",
                                      "0x10",
                                      "9223372036854775808",
                                      "-9223372036854775809",
                                      "99999999999999999999999999"};

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        int64_t value = 1;

        assert_true(slice_to_int64(slice_of(good[i].text), &value));
        assert_true(value == good[i].value);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int64_t value = 77;

        if (slice_to_int64(slice_of(bad[i]), &value))
            fail_msg("\"%s\" was taken as %lld", bad[i], (long long)value);
        assert_int_equal(value, 77);
    }
}

TEST(equal_bytes_hash_equally) {
    char copy[] = "topology.kubernetes.io/zone";

    assert_true(slice_hash(slice_of(copy)) == slice_hash(SLICE("topology.kubernetes.io/zone")));
    assert_true(slice_hash(SLICE("a")) != slice_hash(SLICE("b")));
    assert_true(slice_hash((Slice){0}) == slice_hash(SLICE("")));
}
