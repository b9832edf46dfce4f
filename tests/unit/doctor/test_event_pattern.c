// Which events patterns of EventBridge let through. Patterns are those of its user guide, and of Karpenter's template.
#include "doctor/event_pattern.h"

#include "harness/test.h"

static bool allows(const char *pattern) {
    Arena arena = {0};
    bool is_so = event_pattern_allows(&arena, slice_of(pattern), SLICE("aws.ec2"), SLICE("EC2 Event"));

    arena_free(&arena);
    return is_so;
}

TEST(what_is_named_is_let_through) {
    assert_true(allows("{\"source\": [\"aws.ec2\"], \"detail-type\": [\"EC2 Event\"]}"));
    assert_true(allows("{\"source\": [\"aws.health\", \"aws.ec2\"]}"));
    assert_true(allows("{\"detail-type\": [\"EC2 Event\"]}"));
    assert_true(allows("{}"));
    assert_true(allows("{\"source\": [{\"prefix\": \"aws.\"}]}"));
    assert_true(allows("{\"source\": [{\"prefix\": \"\"}], \"account\": [\"1\"]}"));
}

TEST(what_is_not_named_is_not) {
    assert_false(allows("{\"source\": [\"aws.ec2\"], \"detail-type\": [\"EC2 Events\"]}"));
    assert_false(allows("{\"source\": [\"aws.health\"], \"detail-type\": [\"EC2 Event\"]}"));
    assert_false(allows("{\"source\": [\"AWS.EC2\"]}"));
    assert_false(allows("{\"source\": [{\"prefix\": \"com.\"}]}"));
    assert_false(allows("{\"source\": []}"));
    assert_false(allows("{\"source\": [null, 1, true]}"));
}

// What cannot be told is not held against a rule.
TEST(what_may_be_let_through_is) {
    assert_true(allows("{\"source\": [\"aws.ec2\"], \"detail\": {\"state\": [\"stopping\"]}}"));
    assert_true(allows("{\"source\": [{\"wildcard\": \"aws.*\"}]}"));
    assert_true(allows("{\"source\": [{\"prefix\": {\"equals-ignore-case\": \"AWS.\"}}]}"));
    assert_true(allows("{\"$or\": [{\"source\": [\"aws.ec2\"]}, {\"source\": [\"aws.s3\"]}]}"));
}

TEST(what_is_no_pattern_lets_nothing_through) {
    static const char *const others[] = {"",
                                         "{",
                                         "[]",
                                         "\"aws.ec2\"",
                                         "{\"source\": \"aws.ec2\"}",
                                         "{} {}",
                                         "null",
                                         "{\"source\": {\"prefix\": \"aws.\"}}"};

    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (allows(others[i]))
            fail_msg("%s", others[i]);
    }
}

TEST(a_pattern_has_a_bound) {
    Arena arena = {0};
    char *pattern = arena_array(&arena, char, 65 << 10);

    memset(pattern, ' ', (65 << 10) - 1);
    memcpy(pattern, "{}", 2);
    assert_false(event_pattern_allows(&arena, slice_of(pattern), SLICE("a"), SLICE("b")));
    pattern[60 << 10] = 0;
    assert_true(event_pattern_allows(&arena, slice_of(pattern), SLICE("a"), SLICE("b")));
    arena_free(&arena);
}
