// The growing byte buffer.
#include "base/buffer.h"
#include "harness/test.h"

#include <stdio.h>

TEST(pieces_are_joined) {
    Buffer buffer = {0};

    assert_int_equal(buffer_slice(&buffer).len, 0);
    buffer_append(&buffer, (Slice){0});
    buffer_append(&buffer, SLICE("cpu"));
    buffer_append_char(&buffer, ':');
    buffer_printf(&buffer, " %dm", 250);
    buffer_append(&buffer, (Slice){"\0x", 2});
    assert_true(slice_eq(buffer_slice(&buffer), (Slice){"cpu: 250m\0x", 11}));
    buffer_free(&buffer);
    assert_int_equal(buffer.len, 0);
    assert_null(buffer.bytes);
}

TEST(it_grows) {
    Buffer buffer = {0};

    for (int i = 0; i < 100000; i++) {
        if (i % 3)
            buffer_printf(&buffer, "%06d", i);
        else
            buffer_append(&buffer, SLICE("......"));
    }
    assert_int_equal(buffer.len, 600000);
    assert_memory_equal(buffer.bytes + 6 * 99998, "099998", 6);
    assert_memory_equal(buffer.bytes + 6 * 3, "......", 6);
    buffer_free(&buffer);
}

TEST(one_piece_may_be_larger_than_all_before) {
    Buffer buffer = {0};

    buffer_append_char(&buffer, 'x');
    buffer_printf(&buffer, "%*d", 100000, 1);
    assert_int_equal(buffer.len, 100001);
    assert_int_equal(buffer.bytes[100000], '1');
    buffer_free(&buffer);
}
