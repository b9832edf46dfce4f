// Arenas: alignment, zeroing, marks, growth.
#include "base/arena.h"
#include "harness/test.h"

#include <stdio.h>

static Arena arena;

static void begin(void) {
    arena = (Arena){0};
}

static void end(void) {
    arena_free(&arena);
}

BEFORE_EACH(begin);
AFTER_EACH(end);

TEST(every_allocation_is_aligned_and_zeroed) {
    for (size_t size = 0; size < 300; size++) {
        unsigned char *bytes = arena_alloc(&arena, size);

        assert_non_null(bytes);
        assert_int_equal((uintptr_t)bytes % 16, 0);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(bytes[i], 0);
        memset(bytes, 0xaa, size);
    }
}

TEST(memory_is_zeroed_again_after_a_rewind) {
    ArenaMark mark = arena_mark(&arena);
    unsigned char *bytes = arena_alloc(&arena, 1000);

    memset(bytes, 0xaa, 1000);
    arena_rewind(&arena, mark);
    bytes = arena_alloc(&arena, 1000);
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(bytes[i], 0);
}

TEST(a_rewind_keeps_what_is_older) {
    char *kept = arena_copy(&arena, "kept", 5);
    size_t used = arena_used(&arena);
    ArenaMark mark = arena_mark(&arena);

    for (int i = 0; i < 10000; i++)
        memset(arena_alloc(&arena, 777), 0x55, 777);
    assert_true(arena_used(&arena) >= used + 7770000);
    arena_rewind(&arena, mark);
    assert_int_equal(arena_used(&arena), used);
    assert_string_equal(kept, "kept");
}

TEST(marks_nest) {
    ArenaMark outer = arena_mark(&arena), inner;
    char *first = arena_copy(&arena, "first", 6);

    inner = arena_mark(&arena);
    (void)arena_alloc(&arena, 100000);
    arena_rewind(&arena, inner);
    assert_string_equal(first, "first");
    arena_rewind(&arena, outer);
    assert_int_equal(arena_used(&arena), 0);
}

TEST(a_large_request_gets_what_it_needs) {
    size_t size = (size_t)8 << 20;
    char *large = arena_alloc(&arena, size), *small = arena_alloc(&arena, 16);

    large[0] = large[size - 1] = 'x';
    small[0] = small[15] = 'y';
    assert_int_equal(large[size - 1], 'x');
}

TEST(a_freed_arena_is_empty_and_usable) {
    (void)arena_alloc(&arena, 100);
    arena_free(&arena);
    assert_int_equal(arena_used(&arena), 0);
    assert_non_null(arena_alloc(&arena, 1));
}

TEST(copies_do_not_share_bytes) {
    char text[] = "zone-a";
    Slice copy = arena_slice(&arena, (Slice){text, 4});
    const char *terminated = arena_text(&arena, (Slice){text, 4});

    text[0] = 'X';
    assert_true(slice_eq(copy, SLICE("zone")));
    assert_string_equal(terminated, "zone");
    assert_string_equal(arena_text(&arena, (Slice){0}), "");
    assert_int_equal(arena_slice(&arena, (Slice){0}).len, 0);
}

TEST(printf_prints_texts_of_any_length) {
    Slice text = arena_printf(&arena, "%*d|%s", 9000, 7, "end");

    assert_int_equal(text.len, 9004);
    assert_true(slice_ends_with(text, SLICE("7|end")));
    assert_int_equal(arena_printf(&arena, "%s", "").len, 0);
}

TEST(arrays_are_zeroed) {
    uint64_t *numbers = arena_array(&arena, uint64_t, 1000);

    for (int i = 0; i < 1000; i++)
        assert_int_equal(numbers[i], 0);
    assert_non_null(arena_array(&arena, uint64_t, 0));
}
