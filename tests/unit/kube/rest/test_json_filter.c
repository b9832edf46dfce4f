// The JSON filter: its output, in whatever pieces the bytes come.
#include "base/random.h"
#include "harness/test.h"
#include "kube/rest/rest_parts.h"
#include "text/json.h"
#include "text/value_edit.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct {
    JsonFilter json_filter;
    Buffer documents; // one a line
} World;

static bool note(void *context, Slice text) {
    World *w = context;

    buffer_append(&w->documents, text);
    buffer_append_char(&w->documents, '\n');
    return true;
}

static World *world(void) {
    World *w = calloc(1, sizeof *w);

    w->json_filter.bytes_max = 1 << 20;
    w->json_filter.take = note;
    w->json_filter.context = w;
    return w;
}

static void world_end(World *w) {
    json_filter_free(&w->json_filter);
    buffer_free(&w->documents);
    free(w);
}

// Feeds the text in two pieces, cut at every place, and in single bytes.
static void assert_filtered(const char *const *drops, const char *text, const char *expected) {
    Slice all = slice_of(text);

    for (size_t cut = 0; cut <= all.len + 1; cut++) {
        World *w = world();

        for (size_t i = 0; drops[i]; i++)
            json_filter_drop(&w->json_filter, "", drops[i]);
        if (cut <= all.len) {
            assert_true(json_filter_feed(&w->json_filter, slice_first(all, cut)));
            assert_true(json_filter_feed(&w->json_filter, slice_from(all, cut)));
        } else {
            for (size_t i = 0; i < all.len; i++)
                assert_true(json_filter_feed(&w->json_filter, (Slice){all.ptr + i, 1}));
        }
        if (!slice_eq_text(buffer_slice(&w->documents), expected))
            fail_msg("cut at %zu: expected %s got %.*s", cut, expected, SLICE_ARG(buffer_slice(&w->documents)));
        world_end(w);
    }
}

TEST(documents_pass_without_white_space) {
    const char *const none[] = {NULL};

    assert_filtered(
        none, " { \"a\" : [ 1 , -2.5e+3 ,true, null ] ,\n\"b c\":\"x \\\" \\\\\" , \"d\":{} }\n{\"e\":[[],{}]}\r\n",
        "{\"a\":[1,-2.5e+3,true,null],\"b c\":\"x \\\" \\\\\",\"d\":{}}\n{\"e\":[[],{}]}\n");
}

TEST(members_are_dropped_wherever_they_stand) {
    const char *const drops[] = {"m", NULL};

    assert_filtered(drops, "{\"m\":1}", "{}\n");
    assert_filtered(drops, "{\"m\":1,\"a\":2}", "{\"a\":2}\n");
    assert_filtered(drops, "{\"a\":2,\"m\":\"x,}\\\"\"}", "{\"a\":2}\n");
    assert_filtered(drops, "{\"a\":1,\"m\":{\"a\":[{\"m\":{}}],\"b\":3},\"b\":[2]}", "{\"a\":1,\"b\":[2]}\n");
    assert_filtered(drops, "{\"m\":[1,[2]],\"m\":true,\"b\":null,\"m\":null}", "{\"b\":null}\n");
    assert_filtered(drops, "{\"mm\":1,\"\":2,\"b\":{\"m\":3}}", "{\"mm\":1,\"\":2,\"b\":{\"m\":3}}\n");
}

TEST(what_is_dropped_may_be_long_and_deep) {
    const char *const drops[] = {"m", NULL};

    assert_filtered(
        drops,
        "{\"m\":{\"a\":[[[\"]]]}}}\",{\"b\\\\\":\"\\\\\\\"}}}\"}],\"0123456789012345678901234567890123456789\"],"
        "[{\"c\":{\"d\":{\"e\":[[[[[[[[]]]]]]]]}}}]],\"f\":\"0123456789012345678901234567890123456\\\"\"},\"a\":1}",
        "{\"a\":1}\n");
    assert_filtered(drops, "{\"m\":[\\\"],\"a\":1}", "{\"a\":1}\n"); // dropped, so nobody minds
}

TEST(paths_lead_through_maps_and_lists) {
    const char *const drops[] = {"items * meta fields", "items * spec list * env", NULL};

    assert_filtered(
        drops,
        "{\"items\":[{\"meta\":{\"fields\":[{}],\"name\":\"a\"},\"spec\":{\"list\":[{\"env\":1},{\"n\":2,\"env\":{}}"
        "]}},{\"meta\":{\"name\":\"b\"}}],\"meta\":{\"fields\":1}}",
        "{\"items\":[{\"meta\":{\"name\":\"a\"},\"spec\":{\"list\":[{},{\"n\":2}]}},{\"meta\":{\"name\":\"b\"}}],"
        "\"meta\":{\"fields\":1}}\n");
}

TEST(a_star_is_no_key) {
    const char *const drops[] = {"a * x", NULL};

    assert_filtered(drops, "{\"a\":{\"b\":{\"x\":1}}}", "{\"a\":{\"b\":{\"x\":1}}}\n");
    assert_filtered(drops, "{\"a\":[[{\"x\":1}],{\"x\":1}]}", "{\"a\":[[{\"x\":1}],{}]}\n");
}

TEST(long_keys_are_not_dropped) {
    char text[256], expected[257];
    const char *const drops[] = {"m", NULL};

    snprintf(text, sizeof text, "{\"%0100d\":1}", 7);
    snprintf(expected, sizeof expected, "%s\n", text);
    assert_filtered(drops, text, expected);
}

TEST(what_is_no_json_is_refused) {
    static const char *const bad[] = {
        "x",     "[1]",         "\"a\"", "{a:1}",     "{\"a\" 1}", "{\"a\":1]", "}",        "{\"a\"}",
        "{1:2}", "{\"a\":1 2}", "{,",    "{\"a\":}x", "\xff",      "{\"a\":,}", "{\"m\":]", "{\"a\":[1 \"b\"]}"};

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        World *w = world();
        bool ok;

        json_filter_drop(&w->json_filter, "", "m");
        ok = json_filter_feed(&w->json_filter, slice_of(bad[i]));
        if (ok && w->documents.len) // the parser refuses what the filter passes
            ok = false;
        if (ok || (w->json_filter.failed != ERR_INVALID && !w->documents.len))
            fail_msg("let %s in", bad[i]);
        world_end(w);
    }
}

TEST(documents_and_depth_have_bounds) {
    World *w = world();

    w->json_filter.bytes_max = 10;
    json_filter_drop(&w->json_filter, "", "m");
    assert_true(
        json_filter_feed(&w->json_filter, SLICE("{\"m\":\"0123456789012345\",\"a\":1}"))); // dropped bytes do not count
    assert_false(json_filter_feed(&w->json_filter, SLICE("{\"a\":12345}")));
    assert_int_equal(w->json_filter.failed, ERR_TOO_LARGE);
    json_filter_reset(&w->json_filter);
    w->json_filter.bytes_max = 10000;
    assert_true(json_filter_feed(&w->json_filter, SLICE("{\"a\":")));
    for (int i = 1; i < JSON_FILTER_DEPTH_MAX; i++)
        assert_true(json_filter_feed(&w->json_filter, SLICE("[")));
    assert_false(json_filter_feed(&w->json_filter, SLICE("[")));
    assert_int_equal(w->json_filter.failed, ERR_INVALID);
    world_end(w);
}

// Filtering a random document is equal to removing the members from its tree.

static Value random_value(Arena *arena, Random *random, int depth) {
    static const char *const keys[] = {"a", "b", "m", "items", "x\"\\"};
    Value value = value_map();

    switch (random_below(random, depth ? 7 : 5)) {
    case 0:
        return value_int(arena, (int64_t)random_below(random, 1000) - 500);
    case 1:
        return value_bool(random_chance(random, 50));
    case 2:
        return value_null();
    case 3:
    case 4:
        return value_string(slice_of(keys[random_below(random, 5)]));
    case 5:
        value = value_list();
        for (uint32_t left = random_below(random, 4); left; left--)
            value_append(arena, &value, random_value(arena, random, depth - 1));
        return value;
    default:
        for (uint32_t left = random_below(random, 5); left; left--)
            value_put(arena, &value, slice_of(keys[random_below(random, 5)]), random_value(arena, random, depth - 1));
        return value;
    }
}

static void remove_path(Value *value, const char *const *steps) {
    if (!strcmp(steps[0], "*")) {
        for (uint32_t i = 0; value->kind == VALUE_LIST && i < value->list.count; i++)
            remove_path(&value->list.items[i], steps + 1);
    } else if (value->kind == VALUE_MAP) {
        Value *member = value_find(value, slice_of(steps[0]));

        if (!steps[1])
            value_remove(value, slice_of(steps[0]));
        else if (member)
            remove_path(member, steps + 1);
    }
}

TEST(filtering_equals_removing_from_the_tree) {
    static const char *const paths[][4] = {{"m"}, {"items", "*", "a"}, {"a", "m"}, {"b", "*", "m"}};
    Random random;

    random_seed(&random, 7);
    for (int round = 0; round < 3000; round++) {
        World *w = world();
        Arena arena = {0};
        Buffer text = {0}, expected = {0};
        Value document = value_map();

        for (uint32_t left = random_below(&random, 6); left; left--) {
            static const char *const keys[] = {"a", "b", "m", "items"};

            value_put(&arena, &document, slice_of(keys[random_below(&random, 4)]), random_value(&arena, &random, 4));
        }
        json_print(&text, &document, random_chance(&random, 50));
        for (size_t i = 0; i < 4; i++)
            remove_path(&document, paths[i]);
        json_print(&expected, &document, false);
        buffer_append_char(&expected, '\n');
        json_filter_drop(&w->json_filter, "", "m");
        json_filter_drop(&w->json_filter, "items *", "a");
        json_filter_drop(&w->json_filter, "", "a m");
        json_filter_drop(&w->json_filter, "b", "* m");
        for (size_t at = 0; at < text.len;) {
            size_t len = 1 + random_below(&random, 40);

            assert_true(json_filter_feed(&w->json_filter, slice_first(slice_from(buffer_slice(&text), at), len)));
            at += len;
        }
        if (!slice_eq(buffer_slice(&w->documents), buffer_slice(&expected)))
            fail_msg("seed 7, round %d: %.*s\nexpected %.*s\ngot %.*s", round, SLICE_ARG(buffer_slice(&text)),
                     SLICE_ARG(buffer_slice(&expected)), SLICE_ARG(buffer_slice(&w->documents)));
        buffer_free(&text);
        buffer_free(&expected);
        arena_free(&arena);
        world_end(w);
    }
}
