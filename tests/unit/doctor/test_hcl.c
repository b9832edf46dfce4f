// Terraform's language: blocks, and values as far as the text tells them.
#include "doctor/hcl_value.h"

#include "harness/test.h"
#include "text/json.h"

#include <stdlib.h>

typedef struct {
    Arena arena;
    HclBlockVec blocks;
    Err err;
} World;

static World *setup(void) {
    return calloc(1, sizeof(World));
}

static void teardown(World *world) {
    arena_free(&world->arena);
    free(world);
}

FIXTURE(World, setup, teardown);

static ErrCode read_text(World *world, const char *text) {
    world->blocks.count = 0;
    return hcl_read(&world->arena, SLICE("a.tf"), slice_of(text), &world->blocks, &world->err);
}

// The value of attribute `v` of the last block, as JSON.
static const char *value_of(World *world, const char *text) {
    HclScope scope = {.arena = &world->arena, .blocks = &world->blocks};
    Buffer out = {0};
    const char *json;
    Value value;

    if (read_text(world, text) != OK)
        fail_msg("%s", world->err.text);
    value = hcl_value(&scope, hcl_attribute(vec_last(&world->blocks), "v"));
    json_print(&out, &value, false);
    json = arena_text(&world->arena, buffer_slice(&out));
    buffer_free(&out);
    return json;
}

#define NAMES                                                                                                          \
    "variable \"a\" {\n default = { name : \"x\", \"two words\" = 2 }\n}\nvariable \"unset\" {}\n"                     \
    "locals {\n b = \"${var.a.name}-y\"\n loop = local.loop\n tags = merge({ k = \"1\" }, { k = \"2\", l = local.b "   \
    "})\n}\n"

typedef struct {
    const char *name, *expression, *json;
} Row;

static Row rows[] = {
    {"a text", "\"x\"", "\"x\""},
    {"a number is its text", "12", "\"12\""},
    {"true", "true", "\"true\""},
    {"a list over lines", "[\n 1, # one\n \"b\",\n]", "[\"1\",\"b\"]"},
    {"a map of lines", "{\n a = 1\n \"b\" = 2 }", "{\"a\":\"1\",\"b\":\"2\"}"},
    {"a variable's default", "var.a.name", "\"x\""},
    {"by an index", "var.a[\"two words\"]", "\"2\""},
    {"lookup", "lookup(var.a, \"name\")", "\"x\""},
    {"lookup with another value", "lookup(var.a, \"none\", \"z\")", "\"z\""},
    {"a local, put together", "\"<${local.b}>\"", "\"<x-y>\""},
    {"merge: the last one wins", "local.tags", "{\"k\":\"2\",\"l\":\"x-y\"}"},
    {"in brackets", "(merge({}, {(var.a.name) = 1}))", "{\"x\":\"1\"}"},
    {"merge with what is not known", "merge({ k = 1 }, module.c.tags)", "{\"k\":\"1\",\"\":null}"},
    {"a member that is not known", "{ k = module.c.d, l = 1 }", "{\"k\":null,\"l\":\"1\"}"},
    {"a variable without a default", "var.unset", "null"},
    {"a name that leads to itself", "local.loop", "null"},
    {"a condition", "var.a == 1 ? 2 : 3", "null"},
    {"for", "{ for k in var.a : k => 1 }", "null"},
    {"a function that is not known", "file(\"x\")", "null"},
    {"a text with a resource in it", "\"a-${aws_vpc.b.id}\"", "null"},
    {"quotes in quotes", "\"${lookup(var.a, \"name\")}\"", "\"x\""},
    {"a quote in a text", "\"a\\\"b\"", "\"a\\\"b\""},
    {"a heredoc", "<<EOT\n}\nEOT", "null"},
};

static void list_rows(TestCases *cases) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].name, &rows[i]);
}

TEST_EACH(Row, row, a_value_is_told_or_not_known, list_rows) {
    World *world = setup();
    Slice text = arena_printf(&world->arena, NAMES "x {\n v = %s\n}\n", row->expression);

    assert_string_equal(value_of(world, arena_text(&world->arena, text)), row->json);
    teardown(world);
}

TEST_F(World, world, blocks_have_types_labels_and_lines) {
    const HclBlock *outer;

    assert_int_equal(
        read_text(world, "/* a\nb */ resource \"aws_subnet\" \"one\" {\n  a = 1\n  tags { b = \"}\" }\n}\n"), OK);
    outer = world->blocks.items;
    assert_int_equal(world->blocks.count, 1);
    assert_int_equal(outer->line, 2);
    assert_true(slice_eq(outer->labels[0], SLICE("aws_subnet")) && slice_eq(outer->labels[1], SLICE("one")));
    assert_int_equal(outer->attributes.count, 1);
    assert_int_equal(outer->blocks.count, 1);
    assert_true(slice_eq(hcl_attribute(outer->blocks.items, "b")->expression, SLICE("\"}\" ")));
}

TEST_F(World, world, what_is_no_hcl_is_refused_with_its_line) {
    assert_int_equal(read_text(world, "a {\n b = \"\n"), ERR_INVALID);
    assert_string_equal(world->err.text, "a.tf:2: a string has no end");
    assert_int_equal(read_text(world, "a {\n b = [1,\n}"), ERR_INVALID);
    assert_int_equal(read_text(world, "a {\n"), ERR_INVALID);
    assert_string_equal(world->err.text, "a.tf:2: expected a name");
    assert_int_equal(read_text(world, "a 1 {}"), ERR_INVALID);
    assert_string_equal(world->err.text, "a.tf:1: expected = or {");
}

// Names that lead to five names each: 5^8 of them.
TEST_F(World, world, work_is_bounded) {
    Buffer text = {0};
    HclScope scope = {.arena = &world->arena, .blocks = &world->blocks};

    buffer_append(&text, SLICE("locals {\n a0 = \"x\"\n"));
    for (int i = 1; i < 9; i++)
        buffer_printf(&text, " a%d = [local.a%d, local.a%d, local.a%d, local.a%d, local.a%d]\n", i, i - 1, i - 1, i - 1,
                      i - 1, i - 1);
    buffer_append(&text, SLICE("}\nx {\n v = local.a8\n}\n"));
    assert_int_equal(read_text(world, arena_text(&world->arena, buffer_slice(&text))), OK);
    assert_int_equal(hcl_value(&scope, hcl_attribute(vec_last(&world->blocks), "v")).kind, VALUE_NULL);
    assert_in_range(scope.steps, HCL_STEPS_MAX, HCL_STEPS_MAX + 1000);
    buffer_free(&text);
}

TEST_F(World, world, depth_is_bounded) {
    Buffer text = {0};

    for (int i = 0; i < 40; i++)
        buffer_append(&text, SLICE("a {\n"));
    assert_int_equal(read_text(world, arena_text(&world->arena, buffer_slice(&text))), ERR_TOO_LARGE);
    buffer_free(&text);
}
