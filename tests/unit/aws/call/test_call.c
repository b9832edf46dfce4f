// Calls over a transport in memory: what is sent, what is tried again, what is mended, and what it says at the end.
#include "aws/call/client.h"

#include "aws/service/ec2_instance.h"
#include "aws/service/ec2_network.h"
#include "aws/service/sts.h"
#include "aws/support/memory.h"
#include "base/alloc.h"

#define SUBNETS                                                                                                        \
    "<DescribeSubnetsResponse><subnetSet><item><subnetId>subnet-1</subnetId></item></subnetSet>"                       \
    "</DescribeSubnetsResponse>"
#define FAULT(code, message)                                                                                           \
    "<Response><Errors><Error><Code>" code "</Code><Message>" message "</Message></Error></Errors>"                    \
    "<RequestID>r-1</RequestID></Response>"
#define THROTTLED                                                                                                      \
    { .status = 503, .body = FAULT("RequestLimitExceeded", "Request limit exceeded.") }
#define FINE                                                                                                           \
    { .body = SUBNETS }

typedef struct {
    MemoryTransport *memory;
    AwsClient *client;
    Arena arena;
    AwsOutcome outcome;
    Ec2DescribeSubnetsOutput output;
    Err err;
    uint32_t grants, refusals; // credentials that were given, and asked for after a refusal
    bool has_no_more;          // the identity fails after a refusal
    Buffer reports;
} World;

static void report(Buffer *reports, const char *what, const AwsReport *report) {
    buffer_printf(reports, "%s %u %s %d %.*s %lld; ", what, report->attempts, report->operation->name, report->status,
                  SLICE_ARG(report->code), (long long)(report->took_ns / NS_PER_MS));
}

static void report_attempt(void *context, const AwsReport *of) {
    report(&((World *)context)->reports, "attempt", of);
}

static void report_call(void *context, const AwsReport *of) {
    report(&((World *)context)->reports, "call", of);
}

// Credentials with another access key each time they are refused.
static ErrCode take(void *self, int64_t wall_ns, const AwsGrant *refused, AwsGrant **ret_grant, Err *err) {
    World *w = self;
    AwsKeys keys = {SLICE("AKID1"), SLICE("very-secret"), SLICE("session-token")};

    (void)wall_ns;
    w->grants++;
    if (refused) {
        w->refusals++;
        keys.access_key = SLICE("AKID2");
        if (w->has_no_more)
            return err_set(err, ERR_IO, "credentials (test): STS does not answer");
    }
    *ret_grant = aws_grant_new(&keys, INT64_MAX);
    return OK;
}

static World *setup(void) {
    World *w = NEW(World);
    AwsClientOptions options = {.region = SLICE("eu-west-1"), .seed = 1};

    w->memory = memory_new();
    options.transport = w->memory->transport;
    options.identity = (AwsIdentity){take, w};
    options.observer = (AwsObserver){report_attempt, report_call, w};
    w->client = aws_client_new(&options);
    return w;
}

static void teardown(World *w) {
    aws_client_free(w->client);
    memory_free(w->memory);
    arena_free(&w->arena);
    buffer_free(&w->reports);
    free(w);
}

FIXTURE(World, setup, teardown);

static ErrCode call_with(World *w, const AwsCallOptions *options) {
    Ec2DescribeSubnetsInput input = {0};

    return aws_call(w->client, &w->arena, &ec2_describe_subnets, &input, options, &w->output, &w->outcome, &w->err);
}

static ErrCode call(World *w) {
    return call_with(w, NULL);
}

static void assert_fine(World *w, uint32_t attempts) {
    assert_int_equal(w->outcome.kind, AWS_FINE);
    assert_int_equal(w->outcome.attempts, attempts);
    assert_int_equal(w->memory->sent.count, attempts);
    assert_int_equal(w->output.subnets.count, 1);
}

// --- what is sent

TEST_F(World, w, a_request_goes_to_its_endpoint_signed) {
    const MemorySent *sent;

    MEMORY_REPLIES(w->memory, FINE);
    assert_int_equal(call(w), OK);
    assert_fine(w, 1);
    sent = &w->memory->sent.items[0];
    assert_string_equal(sent->method, "POST");
    assert_string_equal(sent->url, "https://ec2.eu-west-1.amazonaws.com/");
    assert_string_equal(memory_header(w->memory, 0, "X-Amz-Date"), "20261123T080000Z");
    assert_string_equal(memory_header(w->memory, 0, "X-Amz-Security-Token"), "session-token");
    assert_string_equal(memory_header(w->memory, 0, "Amz-Sdk-Request"), "attempt=1; max=3");
    assert_non_null(
        strstr(memory_header(w->memory, 0, "Authorization"), "Credential=AKID1/20261123/eu-west-1/ec2/aws4_request"));
    assert_null(strstr(sent->headers, "very-secret"));
    assert_int_equal(sent->timeout_ns, 4 * NS_PER_MIN);
}

TEST_F(World, w, an_unsigned_call_needs_no_credentials) {
    StsAssumeRoleWithWebIdentityInput input = {.role_arn = SLICE("arn:aws:iam::1:role/x"),
                                               .role_session_name = SLICE("s"),
                                               .web_identity_token = SLICE("a-token")};
    StsAssumeRoleWithWebIdentityOutput output;

    MEMORY_REPLIES(w->memory, {.body = "<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult/>"
                                       "</AssumeRoleWithWebIdentityResponse>"});
    assert_int_equal(
        aws_call(w->client, &w->arena, &sts_assume_role_with_web_identity, &input, NULL, &output, NULL, &w->err), OK);
    assert_int_equal(w->grants, 0);
    assert_null(memory_header(w->memory, 0, "Authorization"));
}

// --- retries

TEST_F(World, w, throttling_is_tried_again_after_a_wait) {
    MEMORY_REPLIES(w->memory, THROTTLED, THROTTLED, FINE);
    assert_int_equal(call(w), OK);
    assert_fine(w, 3);
    assert_int_equal(w->memory->rests.count, 2);
    assert_string_equal(memory_header(w->memory, 2, "Amz-Sdk-Request"), "attempt=3; max=3");
}

TEST_F(World, w, three_attempts_are_enough) {
    MEMORY_REPLIES(w->memory, THROTTLED);
    assert_int_equal(call(w), ERR_THROTTLED);
    assert_int_equal(w->outcome.kind, AWS_THROTTLED);
    assert_int_equal(w->memory->sent.count, 3);
    assert_string_equal(w->err.text, "ec2 DescribeSubnets: RequestLimitExceeded: Request limit exceeded. (status 503, "
                                     "request r-1, attempt 3)");
    assert_false(w->outcome.may_be_done);
}

TEST_F(World, w, one_attempt_when_the_caller_says_so) {
    MEMORY_REPLIES(w->memory, THROTTLED);
    assert_int_equal(call_with(w, &(AwsCallOptions){.attempts_max = 1}), ERR_THROTTLED);
    assert_int_equal(w->memory->sent.count, 1);
}

TEST_F(World, w, broken_connections_timeouts_and_trouble_are_tried_again) {
    MEMORY_REPLIES(w->memory, {.code = ERR_IO}, {.code = ERR_TIMEOUT}, FINE);
    assert_int_equal(call(w), OK);
    assert_fine(w, 3);
    assert_false(w->outcome.may_be_done);
}

TEST_F(World, w, a_reply_that_is_cut_is_no_shorter_list) {
    MEMORY_REPLIES(w->memory,
                   {.body = "<DescribeSubnetsResponse><subnetSet><item><subnetId>subnet-1</subnetId></item>"}, FINE);
    assert_int_equal(call(w), OK);
    assert_fine(w, 2);
}

TEST_F(World, w, a_page_of_a_proxy_is_an_error_whose_effect_is_unknown) {
    MEMORY_REPLIES(w->memory, {.body = "<html><body>Log in</body></html>"});
    assert_int_equal(call(w), ERR_INVALID);
    assert_int_equal(w->memory->sent.count, 3);
    assert_true(w->outcome.may_be_done);
}

TEST_F(World, w, what_is_wrong_with_the_request_is_not_tried_again) {
    MEMORY_REPLIES(w->memory, {.status = 400, .body = FAULT("InvalidParameterValue", "no")});
    assert_int_equal(call(w), ERR_INVALID);
    assert_int_equal(w->outcome.kind, AWS_OTHER);
    assert_int_equal(w->memory->sent.count, 1);
    assert_int_equal(w->memory->rests.count, 0);
}

TEST_F(World, w, lost_answers_leave_the_effect_unknown) {
    MEMORY_REPLIES(w->memory, {.code = ERR_IO}, {.code = ERR_IO},
                   {.status = 400, .body = FAULT("InvalidParameterValue", "no")});
    assert_int_equal(call(w), ERR_INVALID);
    assert_true(w->outcome.may_be_done);
}

TEST_F(World, w, an_answer_over_its_bound_is_not_asked_for_again) {
    MEMORY_REPLIES(w->memory, {.code = ERR_TOO_LARGE});
    assert_int_equal(call(w), ERR_TOO_LARGE);
    assert_int_equal(w->memory->sent.count, 1);
    assert_true(w->outcome.may_be_done);
}

TEST_F(World, w, the_quota_ends_retries_of_a_service_that_is_down) {
    uint32_t calls = 100;

    MEMORY_REPLIES(w->memory, {.status = 503});
    for (uint32_t i = 0; i < calls; i++)
        assert_int_equal(call(w), ERR_IO);
    assert_int_equal(w->memory->sent.count, calls + 500 / 5);
}

TEST_F(World, w, the_services_wait_is_kept) {
    MEMORY_REPLIES(w->memory,
                   {.status = 503,
                    .body = FAULT("RequestLimitExceeded", "x"),
                    .header = {SLICE_INIT("x-amz-retry-after"), SLICE_INIT("5000")}},
                   FINE);
    assert_int_equal(call(w), OK);
    assert_in_range(memory_rested_ns(w->memory), 5 * NS_PER_S, 7 * NS_PER_S);
}

TEST_F(World, w, attempts_and_calls_are_reported) {
    MEMORY_REPLIES(w->memory, {.status = 503, .body = FAULT("RequestLimitExceeded", "x"), .takes_ns = 30 * NS_PER_MS},
                   {.code = ERR_IO}, {.status = 400, .body = FAULT("InvalidParameterValue", "no")});
    assert_int_equal(call(w), ERR_INVALID);
    assert_true(
        slice_starts_with(buffer_slice(&w->reports), SLICE("attempt 1 DescribeSubnets 503 RequestLimitExceeded 30; "
                                                           "attempt 2 DescribeSubnets 0  0; "
                                                           "attempt 3 DescribeSubnets 400 InvalidParameterValue 0; "
                                                           "call 3 DescribeSubnets 400 InvalidParameterValue ")));
}

// --- deadlines and stopping

TEST_F(World, w, no_attempt_begins_after_the_deadline) {
    MEMORY_REPLIES(w->memory, {.status = 503, .body = FAULT("RequestLimitExceeded", "x"), .takes_ns = 2 * NS_PER_S});
    assert_int_equal(call_with(w, &(AwsCallOptions){.deadline = {4 * NS_PER_S}}), ERR_THROTTLED);
    assert_true(w->memory->sent.count < 3);
    assert_true(w->memory->moment.now.ns <= 5 * NS_PER_S);
    assert_in_range(w->memory->sent.items[0].timeout_ns, 3 * NS_PER_S, 3 * NS_PER_S);
}

TEST_F(World, w, a_deadline_that_is_over_sends_nothing) {
    assert_int_equal(call_with(w, &(AwsCallOptions){.deadline = {NS_PER_S}}), ERR_TIMEOUT);
    assert_int_equal(w->memory->sent.count, 0);
}

TEST_F(World, w, a_stopped_client_does_not_go_on) {
    MEMORY_REPLIES(w->memory, THROTTLED);
    w->memory->is_stopped = true;
    assert_int_equal(call(w), ERR_IO);
    assert_int_equal(w->memory->sent.count, 0);
    assert_non_null(strstr(w->err.text, "stopped"));
}

// --- clocks

static void assert_mended(World *w, int64_t ahead_ns) {
    int64_t error_ns = aws_client_skew_ns(w->client) - ahead_ns;

    assert_fine(w, 2);
    assert_true(error_ns > -NS_PER_S && error_ns < NS_PER_S);
    assert_int_equal(w->memory->rests.count, 0);
    assert_int_equal(w->refusals, 0);
}

TEST_F(World, w, a_wrong_clock_is_set_by_the_answers_date) {
    MEMORY_REPLIES(
        w->memory,
        {.status = 400, .body = FAULT("RequestExpired", "x"), .has_date = true, .date_ahead_ns = 10 * NS_PER_MIN},
        FINE);
    assert_int_equal(call(w), OK);
    assert_mended(w, 10 * NS_PER_MIN);
    assert_string_equal(memory_header(w->memory, 1, "X-Amz-Date"), "20261123T081000Z");
    assert_int_equal(call(w), OK);
    assert_string_equal(memory_header(w->memory, 2, "X-Amz-Date"), "20261123T081000Z");
}

TEST_F(World, w, a_refused_signature_may_be_a_wrong_clock) {
    MEMORY_REPLIES(
        w->memory,
        {.status = 401, .body = FAULT("AuthFailure", "x"), .has_date = true, .date_ahead_ns = -5 * NS_PER_MIN}, FINE);
    assert_int_equal(call_with(w, &(AwsCallOptions){.attempts_max = 1}), OK);
    assert_mended(w, -5 * NS_PER_MIN);
}

TEST_F(World, w, a_refused_signature_with_a_right_clock_stays_refused) {
    MEMORY_REPLIES(
        w->memory,
        {.status = 401, .body = FAULT("AuthFailure", "x"), .has_date = true, .date_ahead_ns = 3 * NS_PER_MIN});
    assert_int_equal(call(w), ERR_DENIED);
    assert_int_equal(w->outcome.kind, AWS_UNTRUSTED);
    assert_int_equal(w->memory->sent.count, 1);
    assert_int_equal(aws_client_skew_ns(w->client), 0);
}

// --- credentials

TEST_F(World, w, credentials_that_have_ended_are_renewed_once) {
    MEMORY_REPLIES(w->memory, {.status = 403, .body = FAULT("ExpiredToken", "x")}, FINE);
    assert_int_equal(call_with(w, &(AwsCallOptions){.attempts_max = 1}), OK);
    assert_fine(w, 2);
    assert_int_equal(w->refusals, 1);
    assert_non_null(strstr(memory_header(w->memory, 1, "Authorization"), "Credential=AKID2/"));
}

TEST_F(World, w, what_is_mended_does_not_count_as_a_retry) {
    MEMORY_REPLIES(
        w->memory, {.status = 403, .body = FAULT("ExpiredToken", "x")},
        {.status = 403, .body = FAULT("SignatureDoesNotMatch", "x"), .has_date = true, .date_ahead_ns = NS_PER_HOUR},
        THROTTLED, THROTTLED, FINE);
    assert_int_equal(call(w), OK);
    assert_fine(w, 5);
    assert_int_equal(w->memory->rests.count, 2);
}

TEST_F(World, w, ec2_says_that_credentials_have_ended_as_it_says_that_a_clock_is_wrong) {
    MEMORY_REPLIES(w->memory, {.status = 400, .body = FAULT("RequestExpired", "x"), .has_date = true}, FINE);
    assert_int_equal(call(w), OK);
    assert_fine(w, 2);
    assert_int_equal(w->refusals, 1);
    assert_int_equal(aws_client_skew_ns(w->client), 0);
}

TEST_F(World, w, credentials_that_are_refused_twice_are_an_error) {
    MEMORY_REPLIES(w->memory, {.status = 403, .body = FAULT("ExpiredToken", "x")});
    assert_int_equal(call(w), ERR_DENIED);
    assert_int_equal(w->outcome.kind, AWS_EXPIRED);
    assert_int_equal(w->memory->sent.count, 2);
}

TEST_F(World, w, an_identity_that_fails_is_the_calls_error) {
    MEMORY_REPLIES(w->memory, {.status = 403, .body = FAULT("ExpiredToken", "x")});
    w->has_no_more = true;
    assert_int_equal(call(w), ERR_IO);
    assert_string_equal(w->err.text, "credentials (test): STS does not answer");
    assert_int_equal(w->memory->sent.count, 1);
}

// --- answers

TEST_F(World, w, a_dry_run_that_would_be_carried_out_is_fine) {
    MEMORY_REPLIES(w->memory, {.status = 412, .body = FAULT("DryRunOperation", "Request would have succeeded")});
    assert_int_equal(call(w), OK);
    assert_int_equal(w->outcome.kind, AWS_DRY_RUN);
}

TEST_F(World, w, a_message_that_repeats_a_secret_is_withheld) {
    MEMORY_REPLIES(w->memory, {.status = 403,
                               .body = FAULT("SignatureDoesNotMatch", "should have been x-amz-security-token:"
                                                                      "session-token")});
    assert_int_equal(call(w), ERR_DENIED);
    assert_null(strstr(w->err.text, "session-token"));
    assert_false(slice_contains(w->outcome.fault.message, SLICE("session-token")));
    assert_non_null(strstr(w->err.text, "SignatureDoesNotMatch"));
}

TEST_F(World, w, an_attempt_that_fails_leaves_nothing_in_the_output) {
    MEMORY_REPLIES(w->memory,
                   {.body = "<DescribeSubnetsResponse><subnetSet><item><subnetId>a</subnetId></item><item><subnetId>b"},
                   FINE);
    assert_int_equal(call(w), OK);
    assert_int_equal(w->output.subnets.count, 1);
    assert_true(slice_eq_text(w->output.subnets.items[0].subnet_id, "subnet-1"));
}
