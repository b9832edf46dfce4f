// Arenas: alignment, zeroing, marks, growth.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
// cmocka wants the above first
#include <cmocka.h>

#include "base/arena.h"

static Arena arena;

static int begin(void **state) {
    (void)state;
    arena = (Arena){0};
    return 0;
}

static int end(void **state) {
    (void)state;
    arena_free(&arena);
    return 0;
}

static void every_allocation_is_aligned_and_zeroed(void **state) {
    (void)state;
    for (size_t size = 0; size < 300; size++) {
        unsigned char *bytes = arena_alloc(&arena, size);

        assert_non_null(bytes);
        assert_int_equal((uintptr_t)bytes % 16, 0);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(bytes[i], 0);
        memset(bytes, 0xaa, size);
    }
}

static void memory_is_zeroed_again_after_a_rewind(void **state) {
    ArenaMark mark = arena_mark(&arena);
    unsigned char *bytes = arena_alloc(&arena, 1000);

    (void)state;
    memset(bytes, 0xaa, 1000);
    arena_rewind(&arena, mark);
    bytes = arena_alloc(&arena, 1000);
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(bytes[i], 0);
}

static void a_rewind_keeps_what_is_older(void **state) {
    char *kept = arena_copy(&arena, "kept", 5);
    size_t used = arena_used(&arena);
    ArenaMark mark = arena_mark(&arena);

    (void)state;
    for (int i = 0; i < 10000; i++)
        memset(arena_alloc(&arena, 777), 0x55, 777);
    assert_true(arena_used(&arena) >= used + 7770000);
    arena_rewind(&arena, mark);
    assert_int_equal(arena_used(&arena), used);
    assert_string_equal(kept, "kept");
}

static void marks_nest(void **state) {
    ArenaMark outer = arena_mark(&arena), inner;
    char *first = arena_copy(&arena, "first", 6);

    (void)state;
    inner = arena_mark(&arena);
    (void)arena_alloc(&arena, 100000);
    arena_rewind(&arena, inner);
    assert_string_equal(first, "first");
    arena_rewind(&arena, outer);
    assert_int_equal(arena_used(&arena), 0);
}

static void a_large_request_gets_what_it_needs(void **state) {
    size_t size = (size_t)8 << 20;
    char *large = arena_alloc(&arena, size), *small = arena_alloc(&arena, 16);

    (void)state;
    large[0] = large[size - 1] = 'x';
    small[0] = small[15] = 'y';
    assert_int_equal(large[size - 1], 'x');
}

static void a_freed_arena_is_empty_and_usable(void **state) {
    (void)state;
    (void)arena_alloc(&arena, 100);
    arena_free(&arena);
    assert_int_equal(arena_used(&arena), 0);
    assert_non_null(arena_alloc(&arena, 1));
}

static void copies_do_not_share_bytes(void **state) {
    char text[] = "zone-a";
    Slice copy = arena_slice(&arena, (Slice){text, 4});
    const char *terminated = arena_text(&arena, (Slice){text, 4});

    (void)state;
    text[0] = 'X';
    assert_true(slice_eq(copy, SLICE("zone")));
    assert_string_equal(terminated, "zone");
    assert_string_equal(arena_text(&arena, (Slice){0}), "");
    assert_int_equal(arena_slice(&arena, (Slice){0}).len, 0);
}

static void printf_prints_texts_of_any_length(void **state) {
    Slice text = arena_printf(&arena, "%*d|%s", 9000, 7, "end");

    (void)state;
    assert_int_equal(text.len, 9004);
    assert_true(slice_ends_with(text, SLICE("7|end")));
    assert_int_equal(arena_printf(&arena, "%s", "").len, 0);
}

static void arrays_are_zeroed(void **state) {
    uint64_t *numbers = arena_array(&arena, uint64_t, 1000);

    (void)state;
    for (int i = 0; i < 1000; i++)
        assert_int_equal(numbers[i], 0);
    assert_non_null(arena_array(&arena, uint64_t, 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_allocation_is_aligned_and_zeroed, begin, end),
        cmocka_unit_test_setup_teardown(memory_is_zeroed_again_after_a_rewind, begin, end),
        cmocka_unit_test_setup_teardown(a_rewind_keeps_what_is_older, begin, end),
        cmocka_unit_test_setup_teardown(marks_nest, begin, end),
        cmocka_unit_test_setup_teardown(a_large_request_gets_what_it_needs, begin, end),
        cmocka_unit_test_setup_teardown(a_freed_arena_is_empty_and_usable, begin, end),
        cmocka_unit_test_setup_teardown(copies_do_not_share_bytes, begin, end),
        cmocka_unit_test_setup_teardown(printf_prints_texts_of_any_length, begin, end),
        cmocka_unit_test_setup_teardown(arrays_are_zeroed, begin, end),
    };

    return cmocka_run_group_tests_name("base/arena", tests, NULL, NULL);
}
