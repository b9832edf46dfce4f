// Metrics of messages of the cloud: reference aws.md 7.7, 7.8, 9.1. Upstream's areas: interruption, instance status.
#include "obs/support/env.h"

static void tell(TestEnv *env, IntentType type, const char *controller, ErrCode code, CloudMessage *messages,
                 uint32_t count) {
    Intent intent = {.type = type};
    CloudMessageVec vec = {messages, count, count};

    env_tell(env, controller, &intent, &(Completion){.type = type, .code = code, .messages = code == OK ? &vec : NULL});
}

TEST(messages_of_the_queue_are_counted_by_their_kind) {
    TestEnv *env = env_new();
    CloudMessage messages[] = {
        {.kind = CLOUD_MESSAGE_SPOT_INTERRUPTED, .sent_ns = env->now_ns - 3 * NS_PER_S},
        {.kind = CLOUD_MESSAGE_SPOT_INTERRUPTED},
        {.kind = CLOUD_MESSAGE_OTHER, .sent_ns = env->now_ns - 9 * NS_PER_S},
        {.kind = CLOUD_MESSAGE_TERMINATED, .sent_ns = env->now_ns + 9 * NS_PER_S}, // clocks differ
    };
    Slice page;

    tell(env, INTENT_RECEIVE, "interruption", OK, messages, 4);
    tell(env, INTENT_RECEIVE, "interruption", ERR_NOT_FOUND, NULL, 0);
    assert_true(env_value(env, METRIC_MESSAGES_RECEIVED, "spot_interrupted", NULL) == 2);
    assert_true(env_value(env, METRIC_MESSAGES_RECEIVED, "no_op", NULL) == 1);
    assert_true(env_value(env, METRIC_MESSAGES_RECEIVED, "instance_terminated", NULL) == 1);
    page = env_page(env);
    assert_line(page, "karpenter_interruption_message_queue_duration_seconds_count 2");
    assert_line(page, "karpenter_interruption_message_queue_duration_seconds_sum 3");
    env_free(env);
}

TEST(settled_messages_are_counted) {
    TestEnv *env = env_new();

    tell(env, INTENT_SETTLE, "interruption", OK, NULL, 0);
    tell(env, INTENT_SETTLE, "interruption", ERR_IO, NULL, 0);
    assert_true(env_value(env, METRIC_MESSAGES_DELETED, NULL) == 1);
    env_free(env);
}

TEST(an_episode_of_an_unhealthy_instance_counts_once) {
    TestEnv *env = env_new();
    Symbol ids[] = {env_symbol(env, "aws:///a/i-1"), env_symbol(env, "aws:///a/i-2")};
    CloudMessage messages[] = {
        {.kind = CLOUD_MESSAGE_INSTANCE_IMPAIRED, .provider_ids = {ids, 2, 2}},
        {.kind = CLOUD_MESSAGE_HOST_IMPAIRED, .provider_ids = {ids, 1, 2}},
        {.kind = CLOUD_MESSAGE_EVENT_SCHEDULED, .provider_ids = {ids, 1, 2}, .is_repeated = true},
        {.kind = CLOUD_MESSAGE_ZONE_LEFT, .zone = ids[0]},
        {.kind = CLOUD_MESSAGE_RESERVATION_ENDING, .provider_ids = {ids, 1, 2}},
    };

    tell(env, INTENT_REFRESH, "interruption.instancestatus", OK, messages, 5);
    tell(env, INTENT_REFRESH, "interruption.instancestatus", ERR_THROTTLED, NULL, 0);
    messages[0].is_repeated = messages[1].is_repeated = true;
    tell(env, INTENT_REFRESH, "interruption.instancestatus", OK, messages, 5);
    assert_true(env_value(env, METRIC_INSTANCES_UNHEALTHY, "instance_status", NULL) == 2);
    assert_true(env_value(env, METRIC_INSTANCES_UNHEALTHY, "system_status", NULL) == 1);
    assert_no_line(env_page(env), "event_status");
    assert_no_line(env_page(env), "received_messages_total{");
    env_free(env);
}

typedef struct {
    const char *controller;
    CloudMessageKind kind;
    const char *reason;
} DisruptedRow;

static const DisruptedRow rows[] = {
    {"interruption.instancestatus", CLOUD_MESSAGE_INSTANCE_IMPAIRED, "instance_status"},
    {"interruption.instancestatus", CLOUD_MESSAGE_HOST_IMPAIRED, "system_status"},
    {"interruption.instancestatus", CLOUD_MESSAGE_EVENT_SCHEDULED, "event_status"},
    {"capacityreservation.expiration", CLOUD_MESSAGE_RESERVATION_ENDING, "capacity_reservation_expiring"},
    {"interruption", CLOUD_MESSAGE_STOPPED, "instance_stopped"},
};

TEST(deletions_on_what_a_refresh_brought_are_disruptions) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        TestEnv *env = env_new();
        Intent intent = {.type = INTENT_REMOVE,
                         .ref = {KUBE_NODE_CLAIM, (Slice){0}, SLICE("a")},
                         .step = {.cause = cloud_message_text(rows[i].kind)}};

        env_put(env, "{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: a, uid: ua, labels: "
                     "{karpenter.sh/nodepool: web, "
                     "karpenter.sh/capacity-type: spot}}, spec: {nodeClassRef: {group: karpenter.k8s.aws, kind: "
                     "EC2NodeClass, name: x}, requirements: []}}");
        env_tell(env, rows[i].controller, &intent, &(Completion){.type = INTENT_REMOVE});
        assert_true(env_value(env, METRIC_NODECLAIMS_DISRUPTED, rows[i].reason, "web", "spot", "", "graceful", NULL) ==
                    1);
        env_free(env);
    }
}
