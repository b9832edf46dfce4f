// Texts of the input in messages: escaping, and suggestions for misspelled words.
#include "harness/test.h"
#include "text/nearest.h"
#include "text/quote.h"

static void assert_shown(const char *text, const char *expected) {
    Arena arena = {0};
    Slice shown = printable(&arena, slice_of(text));

    if (!slice_eq_text(shown, expected))
        fail_msg("%s is shown as %.*s", text, SLICE_ARG(shown));
    arena_free(&arena);
}

TEST(what_could_break_a_line_or_a_terminal_is_escaped) {
    assert_shown("", "");
    assert_shown("kubernetes.io/arch \"x\" \\ größe …", "kubernetes.io/arch \"x\" \\ größe …");
    assert_shown("a\x1b[2Jb\nc\r\t\x7f", "a\\x1b[2Jb\\x0ac\\x0d\\x09\\x7f");
    assert_shown("c1 \xc2\x9b", "c1 \\xc2\\x9b");                  // CSI in one character
    assert_shown("turned \xe2\x80\xae", "turned \\xe2\\x80\\xae"); // right-to-left override
    assert_shown("cut \xe2\x82", "cut \\xe2\\x82");                // no UTF-8
    assert_shown("line \xe2\x80\xa8", "line \\xe2\\x80\\xa8");     // line separator
}

static const char *nearest_of(const char *text, const char *const *words, size_t count) {
    Nearest nearest = {.text = slice_of(text)};

    for (size_t i = 0; i < count; i++)
        nearest_offer(&nearest, slice_of(words[i]));
    return nearest.word.len ? nearest.word.ptr : NULL;
}

TEST(the_nearest_word_is_suggested) {
    static const char *const words[] = {"limits", "weight", "taints", "startupTaints", "expireAfter", "template"};
    enum { WORDS = sizeof words / sizeof *words };

    assert_string_equal(nearest_of("limit", words, WORDS), "limits");
    assert_string_equal(nearest_of("taint", words, WORDS), "taints");
    assert_string_equal(nearest_of("startuptaint", words, WORDS), "startupTaints");
    assert_string_equal(nearest_of("expireafter", words, WORDS), "expireAfter");
    assert_string_equal(nearest_of("wieght", words, WORDS), "weight"); // a transposition is one edit
    assert_null(nearest_of("ttlSecondsAfterEmpty", words, WORDS));
    assert_null(nearest_of("", words, WORDS));
    assert_null(nearest_of("a-word-that-is-far-too-long-to-be-anything-that-somebody-could-mean-here", words, WORDS));
}
