// Reading and printing JSON.
#include "base/random.h"
#include "harness/test.h"
#include "text/json.h"
#include "text/support/reading.h"

#include <stdio.h>

#include <time.h>

static Outcome outcome;
static Arena inputs; // texts that are read

static void end(void) {
    reading_end(&outcome);
    arena_free(&inputs);
}

AFTER_EACH(end);

static void read_text(const char *text) {
    reading_begin(&outcome, json_parse, slice_of(text), NULL);
}

static void assert_error(ErrCode code, const char *text) {
    assert_string_equal(outcome.err.text, text);
    assert_int_equal(outcome.code, code);
}

TEST(texts_keep_their_meaning_and_order) {
    static const char *const same[] = {
        "null",
        "true",
        "false",
        "0",
        "-0",
        "-12.50e+3",
        "1E400",
        "123456789012345678901234567890",
        "\"\"",
        "\"a\"",
        "[]",
        "{}",
        "[[],{},[{}]]",
        "{\"b\":1,\"a\":[1,2,{\"c\":null}],\"\":\"\"}",
        "\"\xc3\xa9\xf0\x9f\x98\x80\"",
        "\"\\\\\"",
        "\"\\\"\"",
        "{\"a\\\\\":\"b\\\\\\\"\"}",
    };

    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        assert_reads(json_parse, same[i], same[i]);
    assert_reads(json_parse, " \t\r\n{ \"a\" :\n[ 1 , true ] } \n", "{\"a\":[1,true]}");
    assert_reads(json_parse, "\xef\xbb\xbf[1]", "[1]");
    assert_reads(json_parse, "\"\\u0041\\u00e9\\ud83d\\ude00\\/\\b\\f\\n\\r\\t\"",
                 "\"A\xc3\xa9\xf0\x9f\x98\x80/\\u0008\\u000c\\n\\r\\t\"");
    assert_reads(json_parse, "\"\\u0000\"", "\"\\u0000\"");
}

TEST(several_documents_may_follow_each_other) {
    assert_reads(json_parse, "{\"a\":1}\n{\"b\":2}{\"c\":[\"}\"]}\n\n[3] 4 \"five\" null\n",
                 "{\"a\":1}\n{\"b\":2}\n{\"c\":[\"}\"]}\n[3]\n4\n\"five\"\nnull");
    assert_reads(json_parse, "\"\\\\\"\"x\"", "\"\\\\\"\n\"x\""); // an escaped backslash does not escape the quote
    assert_reads(json_parse, "{\"a\":\"\\\\\"}{\"b\":\"\\\"}\"}", "{\"a\":\"\\\\\"}\n{\"b\":\"\\\"}\"}");
    assert_reads(json_parse, "", "");
    assert_reads(json_parse, " \n\t", "");
}

TEST(what_is_no_json_is_refused) {
    static const char *const bad[] = {
        "{",
        "[",
        "}",
        "]",
        "{\"a\"",
        "{\"a\":",
        "{\"a\":1",
        "{\"a\":1,",
        "{\"a\":1,}",
        "{\"a\" 1}",
        "{a:1}",
        "{'a':1}",
        "{1:2}",
        "{\"a\":1 \"b\":2}",
        "[1",
        "[1,",
        "[1,]",
        "[,1]",
        "[1 2]",
        "[1}",
        "{\"a\":[1}",
        "{\"a\":1]",
        "\"abc",
        "\"a\nb\"",
        "\"a\tb\"",
        "\"\\q\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "\"\\ud800\"",
        "\"\\",
        "\"\\\"",
        "tru",
        "True",
        "nul",
        "nulls",
        "truefalse",
        "NaN",
        "Infinity",
        "-Infinity",
        "01",
        "-",
        "+1",
        "1.",
        ".5",
        "1e",
        "1e+",
        "1.e3",
        "0x10",
        "--1",
        "1,",
        "true,",
        "null]",
        "false\"\"",
        "1_000",
        "{} x",
        "[] // why",
        "/* */ 1",
        "'a'",
        "[nul]",
        "[tru]",
        "[01]",
        "[1.]",
        "[\"\\q\"]",
        "{\"a\":nul}",
        "{\"a\":01}",
        ",",
        ":",
        "{\"a\"::1}",
        "[[]",
        "\xef\xbb\xbf{",
        "{}\xef\xbb\xbf",
        "\x7f",
        "[1]]",
        "\"\x01\"",
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_reads(json_parse, bad[i], NULL);
}

TEST(a_nul_is_no_white_space) {
    static const Slice bad[] = {SLICE_INIT("{}\0"), SLICE_INIT("\0{}"),        SLICE_INIT("[1\0]"),
                                SLICE_INIT("1\0"),  SLICE_INIT("{\"a\"\0:1}"), SLICE_INIT("\"a\0b\"")};

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        reading_begin(&outcome, json_parse, bad[i], NULL);
        assert_int_equal(outcome.code, ERR_INVALID);
        reading_end(&outcome);
    }
}

TEST(bytes_that_are_not_utf8_are_refused) {
    read_text("{\"a\":\n\n\"\xc0\xaf\"}");
    assert_error(ERR_INVALID, "in.txt:3: not UTF-8");
}

static const char sample[] = "{\"kind\": \"List\", \"items\": [{\"a\": -1.5e3, \"b\": [true, false, null]},\n"
                             " {\"\\u00e9\\\\\": \"\xc3\xa9\\\"\", \"c\": {}, \"d\": []}, 12, \"\"]}";

// No proper prefix is valid, and nothing after its end is read.
TEST(a_text_cut_anywhere_is_refused) {
    for (size_t len = 1; len < sizeof sample - 1; len++) {
        const char *copy = arena_copy(&inputs, sample, len);

        reading_begin(&outcome, json_parse, (Slice){copy, len}, NULL);
        if (outcome.code != ERR_INVALID)
            fail_msg("the first %zu bytes: code %d, %s", len, outcome.code, outcome_text(&outcome));
        assert_int_equal(outcome.documents.count, 0);
        reading_end(&outcome);
    }
    read_text(sample);
    assert_int_equal(outcome.code, OK);
}

// With any byte of the sample changed to any other, reading succeeds or fails cleanly, and results can be printed and
// read again.
TEST(a_changed_byte_does_no_harm) {
    Random random;

    random_seed(&random, 20260105);
    for (int round = 0; round < 20000; round++) {
        char copy[sizeof sample];
        Outcome again;
        const char *text;

        memcpy(copy, sample, sizeof sample);
        copy[random_below(&random, sizeof sample - 1)] = (char)random_u64(&random);
        if (random_chance(&random, 50))
            copy[random_below(&random, sizeof sample - 1)] = "{}[]\",:\\ 0e-"[random_below(&random, 12)];
        reading_begin(&outcome, json_parse, (Slice){copy, sizeof sample - 1}, NULL);
        if (outcome.code == OK) {
            text = outcome_text(&outcome);
            reading_begin(&again, json_parse, slice_of(text), NULL);
            assert_string_equal(outcome_text(&again), text);
            reading_end(&again);
        } else {
            assert_int_equal(outcome.code, ERR_INVALID);
        }
        reading_end(&outcome);
    }
}

TEST(each_value_and_key_knows_its_line) {
    const Value *root;

    read_text("\n{\n \"a\":\n  1,\n \"b\": [\n  \"x\\ny\",\n  {\"c\": 2}\n ]\n}\n\n[\n3]");
    assert_int_equal(outcome.code, OK);
    root = &outcome.documents.items[0].root;
    assert_int_equal(root->line, 2);
    assert_int_equal(root->map.items[0].line, 3);
    assert_int_equal(root->map.items[0].value.line, 4);
    assert_int_equal(value_at(root, "b", NULL)->line, 5);
    assert_int_equal(value_at(root, "b", NULL)->list.items[0].line, 6);
    assert_int_equal(value_at(root, "b", NULL)->list.items[1].map.items[0].value.line, 7);
    assert_int_equal(outcome.documents.items[1].root.line, 11);
    assert_int_equal(outcome.documents.items[1].root.list.items[0].line, 12);
}

TEST(the_last_of_equal_keys_counts_with_a_warning) {
    ParseOptions strict = {.strict = true};
    const char *text = "{\"cpu\": 1,\n \"memory\": 2,\n \"c\\u0070u\": 3}";

    read_text(text);
    assert_string_equal(outcome_text(&outcome), "{\"cpu\":3,\"memory\":2}");
    assert_int_equal(outcome.warnings.count, 1);
    assert_string_equal(arena_text(&outcome.arena, outcome.warnings.items[0].text),
                        "in.txt:3: key \"cpu\" is given again (first at line 1); the last one counts");
    reading_end(&outcome);
    reading_begin(&outcome, json_parse, slice_of(text), &strict);
    assert_error(ERR_INVALID, "in.txt:3: key \"cpu\" is given again (first at line 1)");
}

TEST(nesting_and_size_have_bounds) {
    ParseOptions options = {.depth_max = 2, .values_max = 4};
    Buffer deep = {0};

    for (int i = 0; i < 10000; i++)
        buffer_append(&deep, i % 2 ? SLICE("[") : SLICE("{\"a\":"));
    reading_begin(&outcome, json_parse, buffer_slice(&deep), NULL);
    assert_int_equal(outcome.code == OK, false);
    reading_end(&outcome);
    for (int i = 10000; i-- > 0;)
        buffer_append_char(&deep, i % 2 ? ']' : '}');
    reading_begin(&outcome, json_parse, buffer_slice(&deep), NULL);
    assert_int_equal(outcome.code == OK, false);
    assert_null(strstr(outcome.err.text, "\n"));
    reading_end(&outcome);
    buffer_free(&deep);
    reading_begin(&outcome, json_parse, SLICE("[[1]]"), &options);
    assert_int_equal(outcome.code, OK);
    reading_end(&outcome);
    reading_begin(&outcome, json_parse, SLICE("[\n[\n[1]]]"), &options);
    assert_error(ERR_TOO_LARGE, "in.txt:3: nested deeper than 2 levels");
    reading_end(&outcome);
    reading_begin(&outcome, json_parse, SLICE("[1,2,3]\n[1,\n2,3,\n4]"), &options);
    assert_error(ERR_TOO_LARGE, "in.txt:4: more than 4 values in one document");
    assert_int_equal(outcome.documents.count, 1);
}

TEST(the_deepest_text_is_read) {
    Buffer deep = {0};

    for (int i = 0; i < 256; i++)
        buffer_append_char(&deep, '[');
    buffer_append_char(&deep, '1');
    for (int i = 0; i < 256; i++)
        buffer_append_char(&deep, ']');
    reading_begin(&outcome, json_parse, buffer_slice(&deep), NULL);
    assert_string_equal(outcome.err.text, "");
    assert_int_equal(outcome.code, OK);
    buffer_free(&deep);
}

TEST(many_small_documents_are_read_quickly) {
    enum { COUNT = 20000 };
    Buffer text = {0};
    clock_t started = clock();

    for (int i = 0; i < COUNT; i++)
        buffer_printf(&text, "{\"number\": %d}\n", i);
    reading_begin(&outcome, json_parse, buffer_slice(&text), NULL);
    assert_int_equal(outcome.documents.count, COUNT);
    assert_int_equal(outcome.documents.items[COUNT - 1].root.line, COUNT);
    buffer_free(&text);
    assert_true((clock() - started) / CLOCKS_PER_SEC < 5);
}

TEST(complaints_name_file_and_line) {
    read_text("{\"a\": 1,\n\"b\": [1,\n2x]}");
    assert_int_equal(outcome.code, ERR_INVALID);
    assert_int_equal(strncmp(outcome.err.text, "in.txt:3: not JSON: ", 20), 0);
    reading_end(&outcome);
    read_text("{}\n\n{\"a\": tru}");
    assert_int_equal(strncmp(outcome.err.text, "in.txt:3: not JSON: ", 20), 0);
}

TEST(values_are_printed_with_indentation) {
    Buffer buffer = {0};

    read_text("{\"a\":[1,{\"b\":\"x\\ny\"}],\"c\":{},\"d\":[]}");
    json_print(&buffer, &outcome.documents.items[0].root, true);
    buffer_append_char(&buffer, 0);
    assert_string_equal(buffer.bytes,
                        "{\n  \"a\": [\n    1,\n    {\n      \"b\": \"x\\ny\"\n    }\n  ],\n  \"c\": {},\n"
                        "  \"d\": []\n}");
    buffer_free(&buffer);
}

TEST(nobody_has_to_listen) {
    DocumentVec documents = {0};

    assert_int_equal(json_parse(&inputs, SLICE("x"), SLICE("{\"a\":1,\"a\":2}"), NULL, &documents, NULL, NULL), OK);
    assert_int_equal(json_parse(&inputs, SLICE("x"), SLICE("{"), NULL, &documents, NULL, NULL), ERR_INVALID);
    assert_int_equal(documents.count, 1);
}
