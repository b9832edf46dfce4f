// The gate of changes over HTTP: a process that stops, or is not the leader any more, asks AWS for nothing new.
#include "aws/service/ec2_instance.h"
#include "aws/service/ec2_launch.h"
#include "aws/session.h"
#include "aws/support/environment.h"
#include "net/support/canned.h"

#include <stdatomic.h>
#include <stdlib.h>

typedef struct {
    Canned server;
    TestEnvironment *environment;
    AwsSession *session;
    Arena arena;
    atomic_bool is_open;
    atomic_uint questions; // of the gate
} World;

static bool answer(Canned *server, const CannedRequest *request, int fd) {
    bool is_question = slice_contains(request->body, SLICE("Action=Describe"));

    (void)server;
    canned_json(fd, 200, is_question ? "<DescribeInstancesResponse/>" : "<TerminateInstancesResponse/>");
    return true;
}

static bool is_open(void *context) {
    World *w = context;

    atomic_fetch_add(&w->questions, 1);
    return atomic_load(&w->is_open);
}

static World *world_new(void) {
    World *w = calloc(1, sizeof *w);
    AwsSessionOptions options = {.gate = {is_open, w}};
    Err err = {0};

    w->server.answer = answer;
    canned_start(&w->server);
    w->environment = environment_new();
    environment_set(w->environment, "AWS_ACCESS_KEY_ID", "AKID");
    environment_set(w->environment, "AWS_SECRET_ACCESS_KEY", "secret");
    environment_set(w->environment, "AWS_REGION", "us-east-1");
    environment_set(w->environment, "AWS_ENDPOINT_URL", w->server.url);
    options.environment = &w->environment->environment;
    if (aws_session_open(&options, &w->session, &err) != OK)
        fail_msg("%s", err.text);
    return w;
}

static void world_free(World *w) {
    aws_session_close(w->session);
    canned_stop(&w->server);
    environment_free(w->environment);
    arena_free(&w->arena);
    free(w);
}

FIXTURE(World, world_new, world_free);

static ErrCode describe(World *w, Err *err) {
    Ec2DescribeInstancesInput input = {0};
    Ec2DescribeInstancesOutput output;

    return aws_call(aws_session_client(w->session), &w->arena, &ec2_describe_instances, &input, NULL, &output, NULL,
                    err);
}

static ErrCode terminate(World *w, Err *err) {
    const AwsCallOptions once = {.attempts_max = 1};
    Ec2TerminateInstancesInput input = {0};
    Ec2TerminateInstancesOutput output;

    vec_push(&w->arena, &input.instance_ids, SLICE("i-1"));
    return aws_call(aws_session_client(w->session), &w->arena, &ec2_terminate_instances, &input, &once, &output, NULL,
                    err);
}

TEST_F(World, w, a_change_is_held_back_while_the_gate_is_closed) {
    Err err = {0};

    assert_int_equal(terminate(w, &err), ERR_IO);
    assert_non_null(strstr(err.text, "held back"));
    assert_int_equal(atomic_load(&w->questions), 1);
    assert_null(strstr(w->server.log, "POST")); // no complete request came
    atomic_store(&w->is_open, true);
    assert_int_equal(terminate(w, &err), OK);
    assert_int_equal(canned_requests(&w->server), 1);
}

TEST_F(World, w, questions_pass_a_closed_gate) {
    Err err = {0};

    assert_int_equal(describe(w, &err), OK);
    assert_int_equal(atomic_load(&w->questions), 0);
}

// Each attempt is asked for: one that was let through says nothing of the next.
TEST_F(World, w, the_gate_is_asked_for_each_change) {
    Err err = {0};

    atomic_store(&w->is_open, true);
    assert_int_equal(terminate(w, &err), OK);
    assert_int_equal(terminate(w, &err), OK);
    assert_int_equal(atomic_load(&w->questions), 2);
    atomic_store(&w->is_open, false);
    assert_int_equal(terminate(w, &err), ERR_IO);
    assert_int_equal(canned_requests(&w->server), 2);
}
