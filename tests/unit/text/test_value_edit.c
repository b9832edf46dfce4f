// Changing trees: copies are apart, removal keeps the order, merge patches are RFC 7386's.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on

#include "text/json.h"
#include "text/value_edit.h"

static Arena arena;

static int teardown(void **state) {
    (void)state;
    arena_free(&arena);
    return 0;
}

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

static void a_copy_shares_nothing(void **state) {
    char text[] = "{\"a\":[1,{\"b\":\"c\"}]}";
    Value original = parse(text), copied = value_copy(&arena, &original), tree = value_copy_tree(&arena, &original);

    (void)state;
    value_put(&arena, &original.map.items[0].value.list.items[1], SLICE("b"), value_null());
    assert_prints(&copied, "{\"a\":[1,{\"b\":\"c\"}]}");
    assert_prints(&tree, "{\"a\":[1,{\"b\":\"c\"}]}");
    assert_ptr_not_equal(copied.map.items[0].key.ptr, original.map.items[0].key.ptr);
    assert_ptr_equal(tree.map.items[0].key.ptr, original.map.items[0].key.ptr);
}

static void empty_containers_are_copied(void **state) {
    Value original = parse("[{},[],\"\",null,true]"), copied = value_copy(&arena, &original);

    (void)state;
    value_put(&arena, &copied.list.items[0], SLICE("a"), value_bool(false));
    value_append(&arena, &copied.list.items[1], value_null());
    assert_prints(&copied, "[{\"a\":false},[null],\"\",null,true]");
    assert_prints(&original, "[{},[],\"\",null,true]");
}

static void a_removed_member_leaves_the_others_in_order(void **state) {
    Value map = parse("{\"a\":1,\"b\":2,\"c\":3}");

    (void)state;
    assert_true(value_remove_text(&map, "b"));
    assert_false(value_remove_text(&map, "b"));
    assert_false(value_remove_text(NULL, "b"));
    assert_prints(&map, "{\"a\":1,\"c\":3}");
}

static void a_removed_element_leaves_the_others_in_order(void **state) {
    Value list = parse("[1,2,3]");

    (void)state;
    value_list_remove(&list, 0);
    value_list_remove(&list, 1);
    assert_prints(&list, "[2]");
}

static void making_a_path_keeps_what_is_there(void **state) {
    Value map = parse("{\"a\":{\"b\":{\"x\":1}},\"n\":null}");

    (void)state;
    value_put(&arena, value_make(&arena, &map, "a", "b", NULL), SLICE("y"), value_bool(true));
    value_put(&arena, value_make(&arena, &map, "n", "m", NULL), SLICE("z"), value_bool(true));
    assert_prints(&map, "{\"a\":{\"b\":{\"x\":1,\"y\":true}},\"n\":{\"m\":{\"z\":true}}}");
}

// The examples of RFC 7386, appendix A.
static void merge_patches_follow_the_rfc(void **state) {
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

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Value target = parse(cases[i].target), patch = parse(cases[i].patch);

        value_merge_patch(&arena, &target, &patch);
        assert_prints(&target, cases[i].result);
    }
}

static void a_patch_is_not_changed_by_later_edits(void **state) {
    Value target = parse("{}"), patch = parse("{\"a\":[{\"b\":1}],\"m\":{\"x\":1}}");

    (void)state;
    value_merge_patch(&arena, &target, &patch);
    value_remove_text(&value_find_text(&target, "a")->list.items[0], "b");
    value_remove_text(value_find_text(&target, "m"), "x");
    assert_prints(&patch, "{\"a\":[{\"b\":1}],\"m\":{\"x\":1}}");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_shares_nothing),
        cmocka_unit_test(empty_containers_are_copied),
        cmocka_unit_test(a_removed_member_leaves_the_others_in_order),
        cmocka_unit_test(a_removed_element_leaves_the_others_in_order),
        cmocka_unit_test(making_a_path_keeps_what_is_there),
        cmocka_unit_test(merge_patches_follow_the_rfc),
        cmocka_unit_test(a_patch_is_not_changed_by_later_edits),
    };

    return cmocka_run_group_tests(tests, NULL, teardown);
}
