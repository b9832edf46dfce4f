// INI as the shared files of AWS's tools have it.
#include "text/ini.h"

#include "base/buffer.h"
#include "harness/test.h"

#include <stdio.h>

static const char *get(const Value *root, const char *section, const char *name) {
    const Value *value = value_at(root, section, name, NULL);
    static char text[256];

    assert_non_null(value);
    assert_int_equal(value->kind, VALUE_STRING);
    (void)snprintf(text, sizeof text, "%.*s", SLICE_ARG(value->text));
    return text;
}

static Value parse(Arena *arena, const char *text) {
    Value root;
    Err err;

    assert_int_equal(ini_parse(arena, SLICE("config"), slice_of(text), &root, &err), OK);
    return root;
}

TEST(properties_lie_in_sections) {
    Arena arena = {0};
    Value root = parse(&arena, "# first\n[default]\nRegion=eu-west-1\n\n[ profile a ]\nkey = v = w\nother: x\n");

    assert_string_equal(get(&root, "default", "region"), "eu-west-1");
    assert_string_equal(get(&root, "profile a", "key"), "v = w");
    assert_string_equal(get(&root, "profile a", "other"), "x");
    arena_free(&arena);
}

TEST(comments_begin_a_line_or_follow_a_space) {
    Arena arena = {0};
    Value root = parse(&arena, "[a] ; one\nx = 1 # two\ny = 1#2\n  ; three\nz = ;\r\nw = \n");

    assert_string_equal(get(&root, "a", "x"), "1");
    assert_string_equal(get(&root, "a", "y"), "1#2");
    assert_string_equal(get(&root, "a", "z"), "");
    assert_string_equal(get(&root, "a", "w"), "");
    arena_free(&arena);
}

TEST(a_section_that_comes_again_goes_on_and_the_last_property_counts) {
    Arena arena = {0};
    Value root = parse(&arena, "[a]\nx = 1\ny = 1\n[b]\nx = 2\n[a]\nx = 3\n");

    assert_string_equal(get(&root, "a", "x"), "3");
    assert_string_equal(get(&root, "a", "y"), "1");
    arena_free(&arena);
}

TEST(indented_lines_belong_to_the_property_above) {
    Arena arena = {0};
    Value root = parse(&arena, "[services s]\nec2 =\n  endpoint_url = http://a\n  Other = b\nlong = one\n  two\n");
    const Value *url = value_at(&root, "services s", "ec2", "endpoint_url", NULL);

    assert_true(slice_eq_text(url->text, "http://a"));
    assert_true(slice_eq_text(value_at(&root, "services s", "ec2", "other", NULL)->text, "b"));
    assert_string_equal(get(&root, "services s", "long"), "one\ntwo");
    arena_free(&arena);
}

TEST(a_wrong_line_is_named_and_not_repeated) {
    static const struct {
        const char *text;
        int line;
    } wrong[] = {{"x = 1\n", 1}, {"[a]\n\nsecret-thing\n", 3}, {"[a\n", 1}, {"[a]\n = 1\n", 2}};
    Arena arena = {0};

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char place[32];
        Value root;
        Err err;

        assert_int_equal(ini_parse(&arena, SLICE("config"), slice_of(wrong[i].text), &root, &err), ERR_INVALID);
        (void)snprintf(place, sizeof place, "config:%d: ", wrong[i].line);
        assert_true(slice_starts_with(slice_of(err.text), slice_of(place)));
        assert_null(strstr(err.text, "secret"));
    }
    arena_free(&arena);
}

TEST(a_text_has_bounds) {
    Arena arena = {0};
    Buffer text = {0};
    Value root;
    Err err;

    buffer_append(&text, SLICE("[a]\n"));
    for (int i = 0; i < INI_PROPERTIES_MAX; i++)
        buffer_printf(&text, "k%d = 1\n", i);
    assert_int_equal(ini_parse(&arena, SLICE("config"), buffer_slice(&text), &root, &err), ERR_TOO_LARGE);
    text.len = 0;
    for (int i = 0; i <= INI_BYTES_MAX; i++)
        buffer_append_char(&text, '\n');
    assert_int_equal(ini_parse(&arena, SLICE("config"), buffer_slice(&text), &root, &err), ERR_TOO_LARGE);
    text.len = 0;
    buffer_append(&text, SLICE("[a]\nlong = value\n"));
    for (int i = 0; i < INI_CONTINUED_MAX; i++)
        buffer_append(&text, SLICE("  x\n"));
    assert_int_equal(ini_parse(&arena, SLICE("config"), buffer_slice(&text), &root, &err), ERR_TOO_LARGE);
    buffer_free(&text);
    arena_free(&arena);
}
