// Symbols of instances: held while they are used, released an hour or two later.
#include "cloud/words.h"
#include "harness/test.h"

#include <stdio.h>

static Symbol intern(Words *words, const char *text, int64_t hour) {
    Symbol symbol = symbol_intern(words_begin(words, hour * NS_PER_HOUR), slice_of(text));

    words_end(words);
    return symbol;
}

TEST(a_word_that_is_used_each_hour_stays) {
    Symbols symbols;
    Words words;
    Symbol first;

    symbols_init(&symbols);
    words_init(&words, &symbols, 0);
    first = intern(&words, "aws:///a/i-1", 0);
    for (int64_t hour = 1; hour < 10; hour++)
        assert_int_equal(intern(&words, "aws:///a/i-1", hour), first);
    assert_int_equal(symbol_find(&symbols, SLICE("aws:///a/i-1")), first);
    words_free(&words);
    symbols_free(&symbols);
}

TEST(words_that_nobody_uses_are_released) {
    Symbols symbols;
    uint32_t count = 0;
    Words words;

    symbols_init(&symbols);
    words_init(&words, &symbols, 0);
    for (int64_t hour = 0; hour < 50; hour++) {
        for (uint32_t i = 0; i < 10000; i++) {
            char text[40];

            snprintf(text, sizeof text, "i-%ld-%u", (long)hour, i);
            (void)intern(&words, text, hour);
        }
        if (hour == 25)
            count = symbols_count(&symbols);
    }
    assert_true(symbols_count(&symbols) <= count + 10000);
    words_free(&words);
    symbols_free(&symbols);
}

// The table may be gone before, when an engine has ended.
TEST(words_may_outlive_their_table) {
    Symbols symbols;
    Words words;

    symbols_init(&symbols);
    words_init(&words, &symbols, 0);
    (void)intern(&words, "i-1", 0);
    (void)intern(&words, "i-2", 1);
    symbols_free(&symbols);
    words_free(&words);
}
