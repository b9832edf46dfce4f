// Base64: RFC 4648's vectors, wrapped text, and what is none.
#include "harness/test.h"
#include "net/base64.h"

static const char *const vectors[][2] = {{"", ""},
                                         {"f", "Zg=="},
                                         {"fo", "Zm8="},
                                         {"foo", "Zm9v"},
                                         {"foob", "Zm9vYg=="},
                                         {"fooba", "Zm9vYmE="},
                                         {"foobar", "Zm9vYmFy"}};

TEST(published_vectors_hold_both_ways) {
    Arena arena = {0};
    Slice bytes;

    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        assert_true(slice_eq_text(base64_encode(&arena, slice_of(vectors[i][0])), vectors[i][1]));
        assert_int_equal(base64_decode(&arena, slice_of(vectors[i][1]), &bytes, NULL), OK);
        assert_true(slice_eq_text(bytes, vectors[i][0]));
    }
    arena_free(&arena);
}

TEST(all_bytes_survive) {
    Arena arena = {0};
    char all[256];
    Slice bytes;

    for (int i = 0; i < 256; i++)
        all[i] = (char)i;
    for (size_t len = 0; len <= 256; len++) {
        assert_int_equal(base64_decode(&arena, base64_encode(&arena, (Slice){all, len}), &bytes, NULL), OK);
        assert_true(slice_eq(bytes, (Slice){all, len}));
    }
    arena_free(&arena);
}

TEST(line_breaks_are_skipped) {
    Arena arena = {0};
    Slice bytes;

    assert_int_equal(base64_decode(&arena, SLICE("Zm9v\r\n YmFy\n"), &bytes, NULL), OK);
    assert_true(slice_eq_text(bytes, "foobar"));
    arena_free(&arena);
}

TEST(what_is_no_base64_is_refused) {
    static const char *const bad[] = {"Z",        "Zg",   "Zg=",   "Zg=a",     "=",    "====", "Zm9v=",       "Zm8==",
                                      "Zg==Zg==", "Zm-v", "Zm9v!", "Zm9v----", "=AAA", "Z=AA", "Zm9v\v\v\v\v"};
    Arena arena = {0};
    Slice bytes = SLICE("untouched");
    Err err;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (base64_decode(&arena, slice_of(bad[i]), &bytes, &err) != ERR_INVALID)
            fail_msg("accepted \"%s\"", bad[i]);
        assert_true(slice_eq_text(bytes, "untouched"));
    }
    arena_free(&arena);
}
