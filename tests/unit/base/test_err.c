// Errors: filling, prefixing, passing on.
#include "base/err.h"
#include "harness/test.h"

#include <stdio.h>

#include <string.h>

TEST(a_text_is_filled_and_the_code_comes_back) {
    Err err = {0};

    assert_int_equal(err_set(&err, ERR_RANGE, "%s: %d", "replicas", 7), ERR_RANGE);
    assert_int_equal(err.code, ERR_RANGE);
    assert_string_equal(err.text, "replicas: 7");
}

TEST(no_err_is_no_trouble) {
    assert_int_equal(err_set(NULL, ERR_INVALID, "unseen"), ERR_INVALID);
    err_prefix(NULL, "unseen");
}

TEST(a_text_is_one_line_whatever_it_quotes) {
    Err err;

    (void)err_set(&err, ERR_INVALID, "got \"%s\"", "a\nerror: b\r\x1b[31m\x7f");
    assert_string_equal(err.text, "got \"a?error: b??[31m?\"");
    err_prefix(&err, "%s", "x\ty");
    assert_string_equal(err.text, "x?y: got \"a?error: b??[31m?\"");
}

TEST(prefixes_stack_up) {
    Err err;

    (void)err_set(&err, ERR_IO, "broken");
    err_prefix(&err, "%s", "pools.yaml");
    err_prefix(&err, "line %d", 3);
    assert_string_equal(err.text, "line 3: pools.yaml: broken");
    assert_int_equal(err.code, ERR_IO);
}

TEST(long_texts_are_cut) {
    char text[3 * ERR_TEXT_MAX];
    Err err;

    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    (void)err_set(&err, ERR_INVALID, "%s", text);
    assert_int_equal(strlen(err.text), ERR_TEXT_MAX - 1);
    err_prefix(&err, "here");
    assert_int_equal(strlen(err.text), ERR_TEXT_MAX - 1);
    assert_int_equal(strncmp(err.text, "here: xxx", 9), 0);
    err_prefix(&err, "%s", text);
    assert_int_equal(strlen(err.text), ERR_TEXT_MAX - 1);
}

static ErrCode passes(ErrCode code, int *reached) {
    TRY(code);
    *reached = 1;
    return OK;
}

TEST(try_passes_failures_on) {
    int reached = 0;

    assert_int_equal(passes(ERR_GONE, &reached), ERR_GONE);
    assert_int_equal(reached, 0);
    assert_int_equal(passes(OK, &reached), OK);
    assert_int_equal(reached, 1);
}

TEST(every_code_has_its_word) {
#define X(code, text) assert_string_equal(err_code_text(code), text);
    ERR_CODES(X)
#undef X
    assert_string_equal(err_code_text((ErrCode)999), "unknown");
}
