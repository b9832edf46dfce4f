// Changing trees: copies are independent, removal keeps the order, merge patches follow RFC 7386.
#include "harness/test.h"
#include "text/json.h"
#include "text/value_edit.h"

static Arena arena;

static void teardown(void) {
    arena_free(&arena);
}

AFTER_ALL(teardown);

static Value parse(const char *json) {
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    Err err = {0};

    if (json_parse(&arena, SLICE("test"), slice_of(json), NULL, &documents, &warnings, &err) != OK)
        fail_msg("%s", err.text);
    return documents.items[0].root;
}

static void assert_prints(const Value *value, const char *expected) {
    Buffer out = {0};

    json_print(&out, value, false);
    buffer_append_char(&out, 0);
    assert_string_equal(out.bytes, expected);
    buffer_free(&out);
}

TEST(a_copy_shares_nothing) {
    char text[] = "{\"a\":[1,{\"b\":\"c\"}]}";
    Value original = parse(text), copied = value_copy(&arena, &original), tree = value_copy_tree(&arena, &original);

    value_put(&arena, &original.map.items[0].value.list.items[1], SLICE("b"), value_null());
    assert_prints(&copied, "{\"a\":[1,{\"b\":\"c\"}]}");
    assert_prints(&tree, "{\"a\":[1,{\"b\":\"c\"}]}");
    assert_ptr_not_equal(copied.map.items[0].key.ptr, original.map.items[0].key.ptr);
    assert_ptr_equal(tree.map.items[0].key.ptr, original.map.items[0].key.ptr);
}

TEST(empty_containers_are_copied) {
    Value original = parse("[{},[],\"\",null,true]"), copied = value_copy(&arena, &original);

    value_put(&arena, &copied.list.items[0], SLICE("a"), value_bool(false));
    value_append(&arena, &copied.list.items[1], value_null());
    assert_prints(&copied, "[{\"a\":false},[null],\"\",null,true]");
    assert_prints(&original, "[{},[],\"\",null,true]");
}

TEST(a_removed_member_leaves_the_others_in_order) {
    Value map = parse("{\"a\":1,\"b\":2,\"c\":3}");

    assert_true(value_remove_text(&map, "b"));
    assert_false(value_remove_text(&map, "b"));
    assert_false(value_remove_text(NULL, "b"));
    assert_prints(&map, "{\"a\":1,\"c\":3}");
}

TEST(a_removed_element_leaves_the_others_in_order) {
    Value list = parse("[1,2,3]");

    value_list_remove(&list, 0);
    value_list_remove(&list, 1);
    assert_prints(&list, "[2]");
}

TEST(making_a_path_keeps_what_is_there) {
    Value map = parse("{\"a\":{\"b\":{\"x\":1}},\"n\":null}");

    value_put(&arena, value_make(&arena, &map, "a", "b", NULL), SLICE("y"), value_bool(true));
    value_put(&arena, value_make(&arena, &map, "n", "m", NULL), SLICE("z"), value_bool(true));
    assert_prints(&map, "{\"a\":{\"b\":{\"x\":1,\"y\":true}},\"n\":{\"m\":{\"z\":true}}}");
}

// The examples of RFC 7386, appendix A.
TEST(merge_patches_follow_the_rfc) {
    static const struct {
        const char *target, *patch, *result;
    } cases[] = {
        {"{\"a\":\"b\"}", "{\"a\":\"c\"}", "{\"a\":\"c\"}"},
        {"{\"a\":\"b\"}", "{\"b\":\"c\"}", "{\"a\":\"b\",\"b\":\"c\"}"},
        {"{\"a\":\"b\"}", "{\"a\":null}", "{}"},
        {"{\"a\":\"b\",\"b\":\"c\"}", "{\"a\":null}", "{\"b\":\"c\"}"},
        {"{\"a\":[\"b\"]}", "{\"a\":\"c\"}", "{\"a\":\"c\"}"},
        {"{\"a\":\"c\"}", "{\"a\":[\"b\"]}", "{\"a\":[\"b\"]}"},
        {"{\"a\":{\"b\":\"c\"}}", "{\"a\":{\"b\":\"d\",\"c\":null}}", "{\"a\":{\"b\":\"d\"}}"},
        {"{\"a\":[{\"b\":\"c\"}]}", "{\"a\":[1]}", "{\"a\":[1]}"},
        {"[\"a\",\"b\"]", "[\"c\",\"d\"]", "[\"c\",\"d\"]"},
        {"{\"a\":\"b\"}", "[\"c\"]", "[\"c\"]"},
        {"{\"a\":\"foo\"}", "null", "null"},
        {"{\"a\":\"foo\"}", "\"bar\"", "\"bar\""},
        {"{\"e\":null}", "{\"a\":1}", "{\"e\":null,\"a\":1}"},
        {"[1,2]", "{\"a\":\"b\",\"c\":null}", "{\"a\":\"b\"}"},
        {"{}", "{\"a\":{\"bb\":{\"ccc\":null}}}", "{\"a\":{\"bb\":{}}}"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Value target = parse(cases[i].target), patch = parse(cases[i].patch);

        value_merge_patch(&arena, &target, &patch);
        assert_prints(&target, cases[i].result);
    }
}

TEST(a_patch_is_not_changed_by_later_edits) {
    Value target = parse("{}"), patch = parse("{\"a\":[{\"b\":1}],\"m\":{\"x\":1}}");

    value_merge_patch(&arena, &target, &patch);
    value_remove_text(&value_find_text(&target, "a")->list.items[0], "b");
    value_remove_text(value_find_text(&target, "m"), "x");
    assert_prints(&patch, "{\"a\":[{\"b\":1}],\"m\":{\"x\":1}}");
}

TEST(members_are_sorted_at_every_depth_or_at_the_top) {
    Value map = value_map(), *inner;

    value_put(&arena, &map, SLICE("b"), value_list());
    value_put(&arena, &map, SLICE("a"), value_null());
    inner = value_append(&arena, value_find_text(&map, "b"), value_map());
    value_put(&arena, inner, SLICE("y"), value_null());
    value_put(&arena, inner, SLICE("x"), value_null());
    value_sort_members(&map);
    assert_true(slice_eq_text(map.map.items[0].key, "a"));
    inner = &map.map.items[1].value.list.items[0];
    assert_true(slice_eq_text(inner->map.items[0].key, "y"));
    value_sort(&map);
    assert_true(slice_eq_text(inner->map.items[0].key, "x"));
}
