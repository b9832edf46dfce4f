// Sessions: the parts put together from an environment.
#include "aws/session.h"

#include "aws/service/ec2_network.h"
#include "aws/service/sqs.h"
#include "aws/support/environment.h"
#include "aws/support/memory.h"
#include "aws/support/wire.h"
#include "base/alloc.h"

typedef struct {
    MemoryTransport *memory;
    TestEnvironment *environment;
    AwsSession *session;
    Arena arena;
    Err err;
} World;

static World *setup(void) {
    World *w = NEW(World);

    w->memory = memory_new();
    w->environment = environment_new();
    environment_set(w->environment, "AWS_ACCESS_KEY_ID", "AKID");
    environment_set(w->environment, "AWS_SECRET_ACCESS_KEY", "secret");
    return w;
}

static void teardown(World *w) {
    aws_session_close(w->session);
    memory_free(w->memory);
    environment_free(w->environment);
    arena_free(&w->arena);
    free(w);
}

FIXTURE(World, setup, teardown);

static ErrCode open_session(World *w) {
    const AwsSessionOptions options = {.environment = &w->environment->environment, .transport = w->memory->transport};

    return aws_session_open(&options, &w->session, &w->err);
}

TEST_F(World, w, a_session_asks_services_where_the_settings_say) {
    Ec2DescribeSubnetsInput subnets = {0};
    Ec2DescribeSubnetsOutput subnets_output;
    SqsGetQueueUrlInput queue = {.queue_name = SLICE("q")};
    SqsGetQueueUrlOutput queue_output;
    AwsClient *client;

    MEMORY_REPLIES(w->memory, {.body = "<DescribeSubnetsResponse/>"}, {.body = "{\"QueueUrl\": \"u\"}"});
    environment_set(w->environment, "AWS_REGION", "eu-west-1");
    environment_set(w->environment, "AWS_ENDPOINT_URL_SQS", "http://127.0.0.1:9324");
    assert_int_equal(open_session(w), OK);
    client = aws_session_client(w->session);
    assert_slice(aws_client_region(client), "eu-west-1");
    assert_string_equal(aws_session_source(w->session), "environment");
    assert_int_equal(aws_call(client, &w->arena, &ec2_describe_subnets, &subnets, NULL, &subnets_output, NULL, &w->err),
                     OK);
    assert_int_equal(aws_call(client, &w->arena, &sqs_get_queue_url, &queue, NULL, &queue_output, NULL, &w->err), OK);
    assert_string_equal(w->memory->sent.items[0].url, "https://ec2.eu-west-1.amazonaws.com/");
    assert_string_equal(w->memory->sent.items[1].url, "http://127.0.0.1:9324/");
}

TEST_F(World, w, a_session_asks_the_endpoints_that_are_wanted) {
    Ec2DescribeSubnetsInput input = {0};
    Ec2DescribeSubnetsOutput output;

    MEMORY_REPLIES(w->memory, {.body = "<DescribeSubnetsResponse/>"});
    environment_set(w->environment, "AWS_REGION", "us-west-2");
    environment_set(w->environment, "AWS_USE_FIPS_ENDPOINT", "true");
    environment_set(w->environment, "AWS_USE_DUALSTACK_ENDPOINT", "true");
    assert_int_equal(open_session(w), OK);
    assert_int_equal(aws_call(aws_session_client(w->session), &w->arena, &ec2_describe_subnets, &input, NULL, &output,
                              NULL, &w->err),
                     OK);
    assert_string_equal(w->memory->sent.items[0].url, "https://ec2-fips.us-west-2.api.aws/");
}

TEST_F(World, w, without_a_region_the_instance_is_asked) {
    MEMORY_REPLIES(w->memory, {.body = "token"}, {.body = "{\"region\": \"ap-south-2\"}"});
    assert_int_equal(open_session(w), OK);
    assert_slice(aws_client_region(aws_session_client(w->session)), "ap-south-2");
}

TEST_F(World, w, without_any_region_the_error_says_what_to_set) {
    MEMORY_REPLIES(w->memory, {.code = ERR_IO});
    assert_int_equal(open_session(w), ERR_NOT_FOUND);
    assert_true(slice_starts_with(slice_of(w->err.text), SLICE("no region: set AWS_REGION, or region in the profile")));
}

TEST_F(World, w, a_bundle_of_certificates_that_is_missing_is_named) {
    AwsSessionOptions options = {.environment = &w->environment->environment};

    environment_set(w->environment, "AWS_REGION", "eu-west-1");
    environment_set(w->environment, "AWS_CA_BUNDLE", "/etc/ca.pem");
    assert_int_equal(aws_session_open(&options, &w->session, &w->err), ERR_NOT_FOUND);
    assert_string_equal(w->err.text, "AWS_CA_BUNDLE: /etc/ca.pem: no such file");
}
