// Errors: filling, prefixing, passing on.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
// cmocka wants the above first
#include <cmocka.h>

#include "base/err.h"

#include <string.h>

static void a_text_is_filled_and_the_code_comes_back(void **state) {
    Err err = {0};

    (void)state;
    assert_int_equal(err_set(&err, ERR_RANGE, "%s: %d", "replicas", 7), ERR_RANGE);
    assert_int_equal(err.code, ERR_RANGE);
    assert_string_equal(err.text, "replicas: 7");
}

static void no_err_is_no_trouble(void **state) {
    (void)state;
    assert_int_equal(err_set(NULL, ERR_INVALID, "unseen"), ERR_INVALID);
    err_prefix(NULL, "unseen");
}

static void a_text_is_one_line_whatever_it_quotes(void **state) {
    Err err;

    (void)state;
    (void)err_set(&err, ERR_INVALID, "got \"%s\"", "a\nerror: b\r\x1b[31m\x7f");
    assert_string_equal(err.text, "got \"a?error: b??[31m?\"");
    err_prefix(&err, "%s", "x\ty");
    assert_string_equal(err.text, "x?y: got \"a?error: b??[31m?\"");
}

static void prefixes_stack_up(void **state) {
    Err err;

    (void)state;
    (void)err_set(&err, ERR_IO, "broken");
    err_prefix(&err, "%s", "pools.yaml");
    err_prefix(&err, "line %d", 3);
    assert_string_equal(err.text, "line 3: pools.yaml: broken");
    assert_int_equal(err.code, ERR_IO);
}

static void long_texts_are_cut(void **state) {
    char text[3 * ERR_TEXT_MAX];
    Err err;

    (void)state;
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

static void try_passes_failures_on(void **state) {
    int reached = 0;

    (void)state;
    assert_int_equal(passes(ERR_GONE, &reached), ERR_GONE);
    assert_int_equal(reached, 0);
    assert_int_equal(passes(OK, &reached), OK);
    assert_int_equal(reached, 1);
}

static void every_code_has_its_word(void **state) {
    (void)state;
#define X(code, text) assert_string_equal(err_code_text(code), text);
    ERR_CODES(X)
#undef X
    assert_string_equal(err_code_text((ErrCode)999), "unknown");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_is_filled_and_the_code_comes_back),
        cmocka_unit_test(no_err_is_no_trouble),
        cmocka_unit_test(a_text_is_one_line_whatever_it_quotes),
        cmocka_unit_test(prefixes_stack_up),
        cmocka_unit_test(long_texts_are_cut),
        cmocka_unit_test(try_passes_failures_on),
        cmocka_unit_test(every_code_has_its_word),
    };

    return cmocka_run_group_tests_name("base/err", tests, NULL, NULL);
}
