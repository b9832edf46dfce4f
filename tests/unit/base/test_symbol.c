// Interned strings.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
// cmocka wants the above first
#include <cmocka.h>

#include "base/symbol.h"

static Symbols symbols;

static int begin(void **state) {
    (void)state;
    symbols_init(&symbols);
    return 0;
}

static int end(void **state) {
    (void)state;
    symbols_free(&symbols);
    return 0;
}

static void the_empty_string_is_symbol_zero(void **state) {
    (void)state;
    assert_int_equal(symbol_intern(&symbols, SLICE("")), SYMBOL_EMPTY);
    assert_int_equal(symbol_text(&symbols, SYMBOL_EMPTY).len, 0);
}

static void equal_text_gives_equal_numbers(void **state) {
    char text[] = "topology.kubernetes.io/zone";
    Symbol first = symbol_intern(&symbols, slice_of(text));

    (void)state;
    assert_int_equal(symbol_intern(&symbols, SLICE("topology.kubernetes.io/zone")), first);
    text[0] = 'X'; // the table has its own copy
    assert_true(slice_eq(symbol_text(&symbols, first), SLICE("topology.kubernetes.io/zone")));
    assert_int_not_equal(symbol_intern(&symbols, slice_of(text)), first);
}

static void finding_makes_nothing(void **state) {
    (void)state;
    assert_int_equal(symbol_find(&symbols, SLICE("zone-a")), INDEX_NONE);
    assert_int_equal(symbol_find(&symbols, SLICE("zone-a")), INDEX_NONE);
    assert_int_equal(symbol_find(&symbols, SLICE("zone-a")), INDEX_NONE);
    assert_int_equal(symbol_intern(&symbols, SLICE("zone-a")), 1);
    assert_int_equal(symbol_find(&symbols, SLICE("zone-a")), 1);
}

static void texts_never_move(void **state) {
    Slice first = symbol_text(&symbols, symbol_intern(&symbols, SLICE("first")));
    char name[32];

    (void)state;
    for (int i = 0; i < 20000; i++) {
        snprintf(name, sizeof name, "name-%d", i);
        assert_int_equal(symbol_intern(&symbols, slice_of(name)), i + 2);
    }
    assert_ptr_equal(symbol_text(&symbols, 1).ptr, first.ptr);
    for (int i = 0; i < 20000; i++) {
        snprintf(name, sizeof name, "name-%d", i);
        assert_int_equal(symbol_find(&symbols, slice_of(name)), i + 2);
    }
}

static void a_text_may_hold_any_byte(void **state) {
    Symbol one = symbol_intern(&symbols, (Slice){"a\0b", 3}), other = symbol_intern(&symbols, (Slice){"a\0c", 3});

    (void)state;
    assert_int_not_equal(one, other);
    assert_int_equal(symbol_text(&symbols, one).len, 3);
}

static void the_order_is_that_of_the_texts(void **state) {
    Symbol b = symbol_intern(&symbols, SLICE("b")), a = symbol_intern(&symbols, SLICE("a"));

    (void)state;
    assert_true(symbol_cmp(&symbols, a, b) < 0);
    assert_true(symbol_cmp(&symbols, b, a) > 0);
    assert_int_equal(symbol_cmp(&symbols, a, a), 0);
    assert_true(symbol_cmp(&symbols, SYMBOL_EMPTY, a) < 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_empty_string_is_symbol_zero, begin, end),
        cmocka_unit_test_setup_teardown(equal_text_gives_equal_numbers, begin, end),
        cmocka_unit_test_setup_teardown(finding_makes_nothing, begin, end),
        cmocka_unit_test_setup_teardown(texts_never_move, begin, end),
        cmocka_unit_test_setup_teardown(a_text_may_hold_any_byte, begin, end),
        cmocka_unit_test_setup_teardown(the_order_is_that_of_the_texts, begin, end),
    };

    return cmocka_run_group_tests_name("base/symbol", tests, NULL, NULL);
}
