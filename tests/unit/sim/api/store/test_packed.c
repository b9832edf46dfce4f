// Packed objects: unpacking gives the packed value, and parts are found without unpacking the rest.
#include "sim/support/server.h"

#include "sim/api/store/packed.h"
#include "text/json.h"
#include "text/value_edit.h"

static Arena arena;
static Symbols names;
static Buffer scratch;

static void setup(void) {
    symbols_init(&names);
}

static void teardown(void) {
    symbols_free(&names);
    buffer_free(&scratch);
    arena_free(&arena);
}

BEFORE_ALL(setup);
AFTER_ALL(teardown);

// A random tree: all kinds, empty ones too, long names and texts.
static Value random_value(Random *random, int depth) {
    uint32_t kind = random_below(random, depth > 4 ? 4 : 6);
    Value value;

    switch (kind) {
    case 0:
        return value_null();
    case 1:
        return value_bool(random_below(random, 2));
    case 2:
        return value_int(&arena, (int64_t)random_u64(random));
    case 3:
        return value_string(
            slice_first(SLICE("a text with \"quotes\" and \n lines, and some length to it, to be cut "
                              "anywhere; it may well be longer than one hundred and twenty-eight bytes, "
                              "so that its length takes two bytes and not one"),
                        random_below(random, 200)));
    case 4:
        value = value_list();
        for (uint32_t i = random_below(random, 6); i; i--)
            value_append(&arena, &value, random_value(random, depth + 1));
        return value;
    default:
        value = value_map();
        for (uint32_t i = random_below(random, 6); i; i--)
            value_put(&arena, &value,
                      arena_printf(&arena, "%*u", (int)random_below(random, 100), random_below(random, 9)),
                      random_value(random, depth + 1));
        return value;
    }
}

TEST(what_goes_in_comes_out) {
    for (uint64_t seed = 0; seed < 500; seed++) {
        Random random;
        Value object = value_map(), opened;
        Packed *packed;

        random_seed(&random, seed);
        value_put(&arena, &object, SLICE("spec"), random_value(&random, 0));
        packed = packed_new(&names, &scratch, SLICE("ns/name"), &object);
        opened = packed_open(&arena, &names, packed, 7, seed % 2);
        if (!value_eq(&object, &opened))
            fail_msg("seed %llu", (unsigned long long)seed);
        packed_release(packed);
    }
}

TEST(the_revision_stands_in_the_metadata) {
    Value object = value_map(), opened;
    Packed *packed;

    value_put(&arena, value_make(&arena, &object, "metadata", NULL), SLICE("name"), value_string(SLICE("x")));
    packed = packed_new(&names, &scratch, SLICE("x"), &object);
    opened = packed_open(&arena, &names, packed, 1234567890123, true);
    assert_true(kube_revision(&opened) == 1234567890123);
    assert_true(slice_eq(packed_key(packed), SLICE("x")));
    packed_release(packed);
}

TEST(a_copy_outlives_its_packed_object) {
    Value object = value_map(), opened;
    Packed *packed;

    value_put(&arena, &object, SLICE("a"), value_string(SLICE("text")));
    packed = packed_new(&names, &scratch, SLICE("x"), &object);
    opened = packed_open(&arena, &names, packed, 1, false);
    packed_release(packed);
    assert_true(slice_eq(kube_text(&opened, "a", NULL), SLICE("text")));
}

TEST(parts_are_found_by_their_path) {
    Value object = value_map(), part;
    Packed *packed;

    value_put(&arena, value_make(&arena, &object, "a", "skipped", NULL), SLICE("x"), value_string(SLICE("no")));
    value_put(&arena, value_make(&arena, &object, "a", "b", NULL), SLICE("c"), value_string(SLICE("yes")));
    packed = packed_new(&names, &scratch, SLICE("x"), &object);
    assert_true(packed_part(&arena, &names, packed, &part, "a", "b", "c", NULL));
    assert_true(slice_eq(part.text, SLICE("yes")));
    assert_true(packed_part(&arena, &names, packed, &part, "a", "b", NULL));
    assert_true(part.kind == VALUE_MAP && part.map.count == 1);
    assert_false(packed_part(&arena, &names, packed, &part, "a", "none", NULL));
    assert_false(packed_part(&arena, &names, packed, &part, "a", "b", "c", "d", NULL));
    packed_release(packed);
}

TEST(a_tree_without_end_is_refused) {
    Value object = value_map(), *inner = &object;

    for (int i = 0; i < PACKED_DEPTH_MAX - 1; i++)
        inner = value_put(&arena, inner, SLICE("a"), value_map());
    packed_release(packed_new(&names, &scratch, SLICE("x"), &object));
    value_put(&arena, inner, SLICE("a"), value_map());
    assert_null(packed_new(&names, &scratch, SLICE("x"), &object));
}

TEST(ever_new_names_do_not_grow_the_table_for_ever) {
    Symbols few;

    symbols_init(&few);
    for (uint32_t i = 0; i < PACKED_NAMES_MAX + 100; i++) {
        Arena own = {0};
        Value object = value_map(), opened;
        Packed *packed;

        value_put(&own, &object, arena_printf(&own, "label-%u", i), value_string(SLICE("v")));
        packed = packed_new(&few, &scratch, SLICE("x"), &object);
        opened = packed_open(&own, &few, packed, 1, true);
        assert_true(value_eq(&object, &opened));
        packed_release(packed);
        arena_free(&own);
    }
    assert_true(symbols_count(&few) <= PACKED_NAMES_MAX);
    symbols_free(&few);
}
