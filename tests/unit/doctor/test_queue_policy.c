// What policies of queues say to EventBridge: those of Karpenter's template, of the console, and others.
#include "doctor/queue_policy.h"

#include "harness/test.h"

#define ARN "arn:aws:sqs:us-east-1:111122223333:q"

static QueuePolicyVerdict verdict(const char *policy) {
    Arena arena = {0};
    QueuePolicyVerdict of = queue_policy_verdict(&arena, slice_of(policy), SLICE(ARN), SLICE("events.amazonaws.com"));

    arena_free(&arena);
    return of;
}

static void assert_all(QueuePolicyVerdict wanted, const char *const *policies, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (verdict(policies[i]) != wanted)
            fail_msg("%s", policies[i]);
    }
}

#define ASSERT_ALL(wanted, policies) assert_all(wanted, policies, sizeof policies / sizeof *policies)

// Of a statement that allows.
#define ALLOW(rest) "{\"Statement\": [{\"Effect\": \"Allow\", " rest "}]}"
#define SENDER      "\"Principal\": {\"Service\": [\"sqs.amazonaws.com\", \"events.amazonaws.com\"]}, "
#define SEND        "\"Action\": \"sqs:SendMessage\", "
#define QUEUE       "\"Resource\": \"" ARN "\""

TEST(a_policy_lets_a_service_send) {
    static const char *const policies[] = {
        ALLOW(SENDER SEND QUEUE),
        ALLOW("\"Principal\": {\"Service\": \"events.amazonaws.com\"}, " SEND QUEUE),
        ALLOW("\"Principal\": \"*\", " SEND QUEUE),
        ALLOW("\"Principal\": {\"AWS\": \"*\"}, " SEND QUEUE),
        ALLOW(SENDER "\"Action\": [\"SQS:Get*\", \"SQS:Send*\"], " QUEUE),
        ALLOW(SENDER "\"Action\": \"*\", \"Resource\": \"*\""),
        ALLOW(SENDER SEND "\"Resource\": [\"arn:aws:sqs:*:111122223333:?\"]"),
        "{\"Version\": \"2012-10-17\", \"Statement\": {\"Effect\": \"Allow\", " SENDER SEND QUEUE "}}",
    };

    ASSERT_ALL(QUEUE_POLICY_ALLOWS, policies);
}

TEST(a_policy_for_others_is_silent) {
    static const char *const policies[] = {
        ALLOW("\"Principal\": {\"Service\": \"sns.amazonaws.com\"}, " SEND QUEUE),
        ALLOW("\"Principal\": {\"AWS\": [\"arn:aws:iam::111122223333:root\"]}, " SEND QUEUE),
        ALLOW(SENDER "\"Action\": [\"sqs:ReceiveMessage\", \"sqs:SendMessageBatches\"], " QUEUE),
        ALLOW(SENDER SEND "\"Resource\": \"" ARN "2\""),
        ALLOW(SENDER SEND "\"Resource\": \"\""),
        ALLOW(SEND QUEUE),
        ALLOW(SENDER QUEUE),
        ALLOW(SENDER "\"Action\": 7, " QUEUE),
        "{\"Statement\": [{" SENDER SEND QUEUE "}]}",
        "{\"Statement\": []}",
    };

    ASSERT_ALL(QUEUE_POLICY_SILENT, policies);
}

// What cannot be told is not held against a policy.
TEST(what_may_be_allowed_is) {
    static const char *const policies[] = {
        ALLOW("\"Condition\": {\"ArnLike\": {\"aws:SourceArn\": \"x\"}}, " SENDER SEND QUEUE),
        ALLOW(SENDER "\"NotAction\": \"sqs:DeleteQueue\", " QUEUE),
        ALLOW(SENDER SEND "\"NotResource\": \"other\""),
        ALLOW("\"NotPrincipal\": {\"AWS\": \"111122223333\"}, " SEND QUEUE),
        "{\"Statement\": [{\"Effect\": \"Allow\", " SENDER SEND QUEUE "}, {\"Effect\": \"Deny\", \"Principal\": \"*\", "
        "\"Action\": \"sqs:*\", " QUEUE ", \"Condition\": {\"Bool\": {\"aws:SecureTransport\": \"false\"}}},"
        "{\"Effect\": \"Deny\", \"Principal\": \"*\", \"NotAction\": \"sqs:SendMessage\", " QUEUE "}]}",
    };

    ASSERT_ALL(QUEUE_POLICY_ALLOWS, policies);
}

TEST(what_is_denied_is_not_allowed) {
    static const char *const policies[] = {
        "{\"Statement\": [{\"Effect\": \"Deny\", \"Principal\": \"*\", \"Action\": \"sqs:*\", \"Resource\": \"*\"}]}",
        "{\"Statement\": [{\"Effect\": \"Allow\", " SENDER SEND QUEUE "}, {\"Effect\": \"Deny\", " SENDER SEND QUEUE
        "}]}",
    };

    ASSERT_ALL(QUEUE_POLICY_DENIES, policies);
}

TEST(what_is_no_policy_is_silent) {
    static const char *const policies[] = {
        "", "{", "[]", "null", "{} {}", "{\"Statement\": 3}", "{\"Statement\": [3]}"};

    ASSERT_ALL(QUEUE_POLICY_SILENT, policies);
}

TEST(a_policy_has_a_bound) {
    Arena arena = {0};
    char *policy = arena_array(&arena, char, 65 << 10);

    memset(policy, ' ', (65 << 10) - 1);
    memcpy(policy, ALLOW(SENDER SEND QUEUE), sizeof ALLOW(SENDER SEND QUEUE) - 1);
    assert_int_equal(verdict(policy), QUEUE_POLICY_SILENT);
    policy[sizeof ALLOW(SENDER SEND QUEUE) - 1] = '\0';
    assert_int_equal(verdict(policy), QUEUE_POLICY_ALLOWS);
    arena_free(&arena);
}

// --- a statement more

static void assert_with_sender(const char *policy, const char *wanted) {
    Arena arena = {0};
    Slice with = queue_policy_with_sender(&arena, slice_of(policy), SLICE(ARN), SLICE("events.amazonaws.com"));

    assert_string_equal(arena_text(&arena, with), wanted);
    assert_int_equal(queue_policy_verdict(&arena, with, SLICE(ARN), SLICE("events.amazonaws.com")),
                     QUEUE_POLICY_ALLOWS);
    arena_free(&arena);
}

#define ADDED                                                                                                          \
    "{\"Effect\":\"Allow\",\"Principal\":{\"Service\":\"events.amazonaws.com\"},\"Action\":\"sqs:SendMessage\","       \
    "\"Resource\":\"" ARN "\"}"

TEST(a_statement_is_added_to_those_that_are_there) {
    assert_with_sender("", "{\"Version\":\"2012-10-17\",\"Statement\":[" ADDED "]}");
    assert_with_sender("no policy", "{\"Version\":\"2012-10-17\",\"Statement\":[" ADDED "]}");
    assert_with_sender("{\"Statement\": [{\"Sid\": \"a\"}, {\"Sid\": \"b\"}]}",
                       "{\"Statement\":[{\"Sid\":\"a\"},{\"Sid\":\"b\"}," ADDED "],\"Version\":\"2012-10-17\"}");
    // All else stays: with another version texts of conditions may mean something else.
    assert_with_sender("{\"Version\": \"2008-10-17\", \"Id\": \"i\", \"Statement\": {\"Sid\": \"a\"}}",
                       "{\"Version\":\"2008-10-17\",\"Id\":\"i\",\"Statement\":[{\"Sid\":\"a\"}," ADDED "]}");
    // It stands between single quotes.
    assert_with_sender("{\"Statement\": {\"Sid\": \"o'clock\"}}",
                       "{\"Statement\":[{\"Sid\":\"o\\u0027clock\"}," ADDED "],\"Version\":\"2012-10-17\"}");
}
