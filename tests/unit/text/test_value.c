// Trees of values: walking, building, numbers, equality.
#include "harness/test.h"
#include "text/value.h"
#include "text/yaml.h"

#include <stdio.h>

static Arena arena;

static void end(void) {
    arena_free(&arena);
}

AFTER_EACH(end);

static Value number(const char *text) {
    return (Value){.kind = VALUE_NUMBER, .text = slice_of(text)};
}

TEST(members_are_found_by_key) {
    Value root = value_map(), *spec = value_put(&arena, &root, SLICE("spec"), value_map());

    value_put(&arena, spec, SLICE("cpu"), value_int(&arena, 2));
    assert_true(slice_eq(value_at(&root, "spec", "cpu", NULL)->text, SLICE("2")));
    assert_ptr_equal(value_at(&root, NULL), &root);
    assert_null(value_at(&root, "spec", "memory", NULL));
    assert_null(value_at(&root, "status", "cpu", "deeper", NULL));
    assert_null(value_at(NULL, "spec", NULL));
    assert_null(value_get(NULL, SLICE("a")));
    assert_null(value_get_text(value_at(&root, "spec", "cpu", NULL), "a"));
}

TEST(putting_again_replaces_in_place) {
    Value map = value_map();

    value_put(&arena, &map, SLICE("a"), value_int(&arena, 1));
    value_put(&arena, &map, SLICE("b"), value_int(&arena, 2));
    value_put(&arena, &map, SLICE("a"), value_null());
    assert_int_equal(map.map.count, 2);
    assert_true(slice_eq(map.map.items[0].key, SLICE("a")));
    assert_int_equal(map.map.items[0].value.kind, VALUE_NULL);
}

TEST(integers_are_exact_in_every_notation) {
    static const struct {
        const char *text;
        int64_t value;
    } cases[] = {
        {"0", 0},
        {"-0", 0},
        {"3", 3},
        {"3.0", 3},
        {"3e2", 300},
        {"3.25e2", 325},
        {"300e-2", 3},
        {"-1.5E+1", -15},
        {"9223372036854775807", INT64_MAX},
        {"9223372036854775807.000", INT64_MAX},
        {"-9223372036854775808", INT64_MIN},
        {"9.223372036854775807e18", INT64_MAX},
        {"0e999999999", 0},
        {"10000000000000000000000e-21", 10},
    };
    static const char *const others[] = {"0.5",  "3.1",   "1e-1",   "9223372036854775808",   "-9223372036854775809",
                                         "1e19", "1e999", "1e-999", "1e99999999999999999999"};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Value value = number(cases[i].text);
        int64_t got = 77;

        if (!value_to_int64(&value, &got) || got != cases[i].value)
            fail_msg("%s: got %lld", cases[i].text, (long long)got);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        Value value = number(others[i]);
        int64_t got = 77;

        if (value_to_int64(&value, &got) || got != 77)
            fail_msg("%s was taken as %lld", others[i], (long long)got);
    }
}

TEST(only_numbers_are_numbers) {
    Value text = value_string(SLICE("3")), list = value_list();

    assert_false(value_to_int64(&text, &(int64_t){0}));
    assert_false(value_to_double(&text, &(double){0}));
    assert_false(value_to_int64(&list, &(int64_t){0}));
}

TEST(doubles_are_read_at_any_length) {
    char zeros[300] = "0.25";
    Value value = number("0.096"), long_value = number(zeros), huge = number("1e400"), tiny = number("1e-400");
    double got = 0;

    memset(zeros + 4, '0', sizeof zeros - 5);
    long_value.text.len = sizeof zeros - 1;
    assert_true(value_to_double(&value, &got) && got == 0.096);
    assert_true(value_to_double(&long_value, &got) && got == 0.25);
    assert_true(value_to_double(&tiny, &got) && got == 0);
    got = 77;
    assert_false(value_to_double(&huge, &got));
    assert_true(got == 77);
}

TEST(doubles_are_printed_as_go_prints_json) {
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0, "0"},
        {-0.0, "-0"},
        {1, "1"},
        {-1.5, "-1.5"},
        {0.1, "0.1"},
        {0.096, "0.096"},
        {0.1 + 0.2, "0.30000000000000004"},
        {100, "100"},
        {123456.789, "123456.789"},
        {1e20, "100000000000000000000"},
        {1e21, "1e+21"},
        {1.25e-7, "1.25e-7"},
        {1e-6, "0.000001"},
        {0.000012, "0.000012"},
        {9007199254740993.0, "9007199254740992"},
        {1.7976931348623157e308, "1.7976931348623157e+308"},
        {5e-324, "5e-324"},
        {-2.5e100, "-2.5e+100"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Value value = value_real(&arena, cases[i].value);
        double back = 77;

        if (!slice_eq_text(value.text, cases[i].text))
            fail_msg("expected %s, got %.*s", cases[i].text, SLICE_ARG(value.text));
        assert_true(value_to_double(&value, &back) && back == cases[i].value);
    }
}

TEST(equality_is_of_trees) {
    Value a = value_map(), b = value_map(), list = value_list(), other = value_list();

    value_append(&arena, &list, value_bool(true));
    value_append(&arena, &other, value_bool(false));
    value_put(&arena, &a, SLICE("x"), number("1"));
    value_put(&arena, &a, SLICE("y"), list);
    value_put(&arena, &b, SLICE("y"), list);
    assert_false(value_eq(&a, &b));
    value_put(&arena, &b, SLICE("x"), number("1"));
    b.line = 7;
    assert_true(value_eq(&a, &b)); // the order of members and lines do not count
    value_put(&arena, &b, SLICE("x"), value_string(SLICE("1")));
    assert_false(value_eq(&a, &b));
    assert_false(value_eq(&list, &other));
    assert_false(value_eq(&list, &a));
}

static Value parsed(const char *text) {
    DocumentVec documents = {0};

    assert_int_equal(yaml_parse(&arena, SLICE("test"), slice_of(text), NULL, &documents, NULL, NULL), OK);
    return documents.items[0].root;
}

TEST(a_tree_has_what_another_says) {
    static const struct {
        const char *value, *wanted;
        bool has;
    } rows[] = {
        {"{a: 1, b: {c: x, d: y}}", "{b: {d: y}}", true},
        {"{a: 1, b: {c: x, d: y}}", "{b: {d: z}}", false},
        {"{a: 1}", "{}", true},
        {"{a: 1}", "{b: null}", true},
        {"{a: 1, b: null}", "{b: null}", true},
        {"{a: 1, b: 2}", "{b: null}", false},
        {"{a: 1}", "{b: {c: null}}", true},
        {"{a: 1}", "{b: {c: 2}}", false},
        {"{a: 1}", "{a: '1'}", false},
        {"{l: [{k: 1, m: 2}, 3]}", "{l: [{k: 1}, 3]}", true},
        {"{l: [{k: 1}, 3]}", "{l: [3, {k: 1}]}", false},
        {"{l: [1, 2]}", "{l: [1]}", false},
        {"{}", "{l: []}", true},
        {"{l: null}", "{l: []}", true},
        {"{l: {}}", "{l: []}", false},
        {"{}", "{l: [1]}", false},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const Value value = parsed(rows[i].value), wanted = parsed(rows[i].wanted);

        if (value_has(&value, &wanted) != rows[i].has)
            fail_msg("%s of %s", rows[i].wanted, rows[i].value);
    }
}

TEST(large_maps_are_compared) {
    Value a = value_map(), b = value_map();

    for (int i = 0; i < 500; i++) {
        value_put(&arena, &a, arena_printf(&arena, "key%d", i), value_int(&arena, i));
        value_put(&arena, &b, arena_printf(&arena, "key%d", 499 - i), value_int(&arena, 499 - i));
    }
    assert_true(value_eq(&a, &b));
    value_put(&arena, &b, SLICE("key250"), value_int(&arena, 0));
    assert_false(value_eq(&a, &b));
}

TEST(kinds_have_words) {
    assert_string_equal(value_kind_text(VALUE_NULL), "null");
    assert_string_equal(value_kind_text(VALUE_BOOL), "bool");
    assert_string_equal(value_kind_text(VALUE_NUMBER), "number");
    assert_string_equal(value_kind_text(VALUE_STRING), "string");
    assert_string_equal(value_kind_text(VALUE_LIST), "list");
    assert_string_equal(value_kind_text(VALUE_MAP), "map");
}
