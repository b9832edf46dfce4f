// The manifests of tests/seeds are what users wrote: that of 001 byte for byte; those of 002 were published without
// their indentation, which is restored, and nothing else. Their words as published are beside them.
#include "aws/sign/digest.h"

#include "harness/test.h"

#include <stdio.h>
#include <stdlib.h>

#define SEEDS TENON_SOURCE_DIR "/tests/seeds/"

typedef struct {
    char bytes[1 << 14];
    size_t len;
} Text;

static void read_text(const char *name, Text *ret_text) {
    char path[512];
    FILE *file;

    snprintf(path, sizeof path, SEEDS "%s", name);
    file = fopen(path, "rb");
    if (!file)
        fail_msg("%s cannot be opened", path);
    ret_text->len = fread(ret_text->bytes, 1, sizeof ret_text->bytes, file);
    fclose(file);
    assert_in_range(ret_text->len, 1, sizeof ret_text->bytes - 1);
}

static bool is_blank(char c) {
    return c == ' ' || c == '\n';
}

// The next word from `at` on; false: none is left.
static bool next_word(const Text *text, size_t *at, Slice *ret_word) {
    size_t start;

    while (*at < text->len && is_blank(text->bytes[*at]))
        ++*at;
    start = *at;
    while (*at < text->len && !is_blank(text->bytes[*at]))
        ++*at;
    *ret_word = (Slice){text->bytes + start, *at - start};
    return *at > start;
}

static void assert_same_words(const char *manifest, const char *published) {
    Text ours, theirs;
    size_t at = 0, from = 0;
    Slice word = {0}, expected = {0};

    read_text(manifest, &ours);
    read_text(published, &theirs);
    while (next_word(&theirs, &from, &expected)) {
        if (!next_word(&ours, &at, &word) || !slice_eq(word, expected))
            fail_msg("%s: expected %.*s, got %.*s", manifest, SLICE_ARG(expected), SLICE_ARG(word));
    }
    assert_false(next_word(&ours, &at, &word));
}

TEST(words_of_seed_002_are_all_there_in_order) {
    assert_same_words("002-provisioner.yaml", "002-provisioner.words.txt");
    assert_same_words("002-awsnodetemplate.yaml", "002-awsnodetemplate.words.txt");
}

TEST(seed_001_is_as_published_byte_for_byte) {
    Text text;
    char hex[AWS_DIGEST_HEX + 1];

    read_text("001-provisioner.yaml", &text);
    aws_digest_hex((Slice){text.bytes, text.len}, hex);
    assert_string_equal(hex, "3cfd64da3acd5e961a0cf5a618fca4827dd761c9172a415340e8762bdf3a4e5e");
}
