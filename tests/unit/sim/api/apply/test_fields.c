// FieldPath sets: what a tree holds, how trees differ, and back from their printed form.
#include "sim/support/server.h"

#include "sim/api/apply/fields.h"
#include "text/json.h"

static Fixture *fixture;

static void setup(void) {
    fixture = fixture_new(1, 0);
}

static void teardown(void) {
    fixture_free(fixture);
}

BEFORE_ALL(setup);
AFTER_ALL(teardown);

// `expected`: the printed set with ' for quotes, and | for those inside of steps.
static void assert_set(const FieldPath *set, const char *expected) {
    Value printed = fields_print(&fixture->arena, set);
    Buffer out = {0}, wanted = {0};
    FieldPath read;

    for (; *expected; expected++)
        buffer_printf(&wanted, "%s", *expected == '\'' ? "\"" : *expected == '|' ? "\\\"" : (char[]){*expected, 0});
    buffer_append_char(&wanted, 0);

    json_print(&out, &printed, false);
    buffer_append_char(&out, 0);
    assert_string_equal(out.bytes, wanted.bytes);
    buffer_free(&out);
    buffer_free(&wanted);
    read = fields_read(&fixture->arena, &printed);
    assert_true(fields_eq(&read, set) || fields_are_empty(set));
}

static FieldPath set_of(const char *yaml) {
    Value value = fixture_object(fixture, "%s", yaml);

    return fields_of(&fixture->arena, &value, false);
}

TEST(a_config_owns_its_leaves) {
    FieldPath set =
        set_of("{spec: {replicas: 1, empty: {}, taints: [{key: a}], containers: [{name: c, image: i}]}, metadata: "
               "{finalizers: [x]}}");

    assert_set(&set,
               "{'f:metadata':{'f:finalizers':{'v:|x|':{}}},'f:spec':{'f:containers':{'k:{|name|:|c|}':{'.':{},'f:"
               "image':{},'f:name':{}}},'f:empty':{},'f:replicas':{},'f:taints':{}}}");
}

TEST(sets_are_reckoned_with) {
    FieldPath a = set_of("{spec: {x: 1, both: 2}}"), b = set_of("{spec: {both: 5, z: 6}}");
    FieldPath both = fields_intersection(&fixture->arena, &a, &b), all = fields_union(&fixture->arena, &a, &b);
    FieldPath left = fields_difference(&fixture->arena, &a, &b), none = fields_difference(&fixture->arena, &a, &a);

    assert_set(&both, "{'f:spec':{'f:both':{}}}");
    assert_set(&all, "{'f:spec':{'f:both':{},'f:x':{},'f:z':{}}}");
    assert_set(&left, "{'f:spec':{'f:x':{}}}");
    assert_true(fields_are_empty(&none));
}

TEST(differences_are_found) {
    Value old =
        fixture_object(fixture, "{spec: {same: 1, changed: 1, gone: 1, containers: [{name: a, image: i}, {name: b}]}}");
    Value next =
        fixture_object(fixture, "{spec: {same: 1, changed: 2, more: {x: 1}, containers: [{name: a, image: j}]}}");
    FieldsChanged changed = fields_compare(&fixture->arena, &old, &next, false);

    assert_set(&changed.set,
               "{'f:spec':{'f:changed':{},'f:containers':{'k:{|name|:|a|}':{'f:image':{}}},'f:more':{'.':{},"
               "'f:x':{}}}}");
    assert_set(&changed.removed, "{'f:spec':{'f:containers':{'k:{|name|:|b|}':{'.':{},'f:name':{}}},'f:gone':{}}}");
}

TEST(only_conditions_of_custom_kinds_are_maps) {
    Value value = fixture_object(
        fixture,
        "{status: {conditions: [{type: Ready}], addresses: [{type: InternalIP}]}, metadata: {finalizers: [x]}}");
    FieldPath set = fields_of(&fixture->arena, &value, true);

    assert_set(&set,
               "{'f:metadata':{'f:finalizers':{'v:|x|':{}}},'f:status':{'f:addresses':{},'f:conditions':{'k:{|type|:"
               "|Ready|}':{'.':{},'f:type':{}}}}}");
}

TEST(paths_are_readable) {
    FieldPath set =
        set_of("{spec: {containers: [{name: c, ports: [{containerPort: 80}]}]}, metadata: {finalizers: [x]}}");
    static const char *const expected[] = {
        ".metadata.finalizers[\"x\"]", ".spec.containers[name=\"c\"]", ".spec.containers[name=\"c\"].name",
        ".spec.containers[name=\"c\"].ports[containerPort=80,protocol=\"TCP\"]",
        ".spec.containers[name=\"c\"].ports[containerPort=80,protocol=\"TCP\"].containerPort"};
    SliceVec paths = {0};

    fields_list_paths(&fixture->arena, &set, &paths);
    assert_int_equal(paths.count, sizeof expected / sizeof *expected);
    for (uint32_t i = 0; i < paths.count; i++) {
        if (!slice_eq_text(paths.items[i], expected[i]))
            fail_msg("expected %s, got %.*s", expected[i], SLICE_ARG(paths.items[i]));
    }
}

TEST(merging_and_taking_out) {
    Value target =
        fixture_object(fixture, "{spec: {a: 1, containers: [{name: x, image: i}, {name: w, image: j}], list: [1]}}");
    Value config = fixture_object(fixture, "{spec: {b: 2, containers: [{name: w, image: k}, {name: z}], list: [2]}}");
    Value expected =
        fixture_object(fixture, "{spec: {a: 1, b: 2, containers: [{name: x, image: i}, {name: w, image: k}, {name: "
                                "z}], list: [2]}}");
    FieldPath set;

    fields_merge(&fixture->arena, &target, &config, false);
    assert_true(value_eq(&target, &expected));
    set = set_of("{spec: {b: 2, containers: [{name: z}]}}");
    fields_remove_from(&fixture->arena, &target, &set, false);
    expected =
        fixture_object(fixture, "{spec: {a: 1, containers: [{name: x, image: i}, {name: w, image: k}], list: [2]}}");
    assert_true(value_eq(&target, &expected));
}
