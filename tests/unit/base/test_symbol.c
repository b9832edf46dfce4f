// Interned strings.
#include "base/symbol.h"
#include "harness/test.h"

#include <stdio.h>

static Symbols symbols;

static void begin(void) {
    symbols_init(&symbols);
}

static void end(void) {
    symbols_free(&symbols);
}

BEFORE_EACH(begin);
AFTER_EACH(end);

TEST(the_empty_string_is_symbol_zero) {
    assert_int_equal(symbol_intern(&symbols, SLICE("")), SYMBOL_EMPTY);
    assert_int_equal(symbol_text(&symbols, SYMBOL_EMPTY).len, 0);
}

TEST(equal_text_gives_equal_numbers) {
    char text[] = "topology.kubernetes.io/zone";
    Symbol first = symbol_intern(&symbols, slice_of(text));

    assert_int_equal(symbol_intern(&symbols, SLICE("topology.kubernetes.io/zone")), first);
    text[0] = 'X'; // the table has its own copy
    assert_true(slice_eq(symbol_text(&symbols, first), SLICE("topology.kubernetes.io/zone")));
    assert_int_not_equal(symbol_intern(&symbols, slice_of(text)), first);
}

TEST(finding_makes_nothing) {
    assert_int_equal(symbol_find(&symbols, SLICE("zone-a")), INDEX_NONE);
    assert_int_equal(symbol_find(&symbols, SLICE("zone-a")), INDEX_NONE);
    assert_int_equal(symbol_find(&symbols, SLICE("zone-a")), INDEX_NONE);
    assert_int_equal(symbol_intern(&symbols, SLICE("zone-a")), 1);
    assert_int_equal(symbol_find(&symbols, SLICE("zone-a")), 1);
}

TEST(texts_never_move) {
    Slice first = symbol_text(&symbols, symbol_intern(&symbols, SLICE("first")));
    char name[32];

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

TEST(a_text_may_hold_any_byte) {
    Symbol one = symbol_intern(&symbols, (Slice){"a\0b", 3}), other = symbol_intern(&symbols, (Slice){"a\0c", 3});

    assert_int_not_equal(one, other);
    assert_int_equal(symbol_text(&symbols, one).len, 3);
}

TEST(the_order_is_that_of_the_texts) {
    Symbol b = symbol_intern(&symbols, SLICE("b")), a = symbol_intern(&symbols, SLICE("a"));

    assert_true(symbol_cmp(&symbols, a, b) < 0);
    assert_true(symbol_cmp(&symbols, b, a) > 0);
    assert_int_equal(symbol_cmp(&symbols, a, a), 0);
    assert_true(symbol_cmp(&symbols, SYMBOL_EMPTY, a) < 0);
}
