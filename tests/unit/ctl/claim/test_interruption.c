// interruption: messages of the cloud. Reference aws.md 7.7.
#include "ctl/claim/interruption.h"
#include "ctl/support/env.h"
#include "durations.h"

static TestEnv *interruption_env(bool has_queue) {
    Settings settings = env_settings();
    TestEnv *env;

    settings.has_interruption_queue = has_queue;
    env = env_new(&interruption_controller, &settings);
    env_put(env, "{kind: NodeClaim, metadata: {name: a}, spec: {nodeClassRef: {group: karpenter.kwok.sh, kind: "
                 "KWOKNodeClass, name: default}}, status: {providerID: 'kwok://a', nodeName: node-a}}\n---\n"
                 "{kind: Node, metadata: {name: node-a}, spec: {providerID: 'kwok://a'}}");
    return env;
}

static uint32_t unsettled(TestEnv *env) {
    uint32_t count = 0;

    for (vec_each(CloudMessage, message, &env_cloud(env)->messages))
        count += message->provider_ids.count > 0;
    return count;
}

TEST(a_node_that_will_be_interrupted_goes_at_once) {
    TestEnv *env = interruption_env(true);
    const char *said;

    env_run(env, "1s");
    env_send(env, CLOUD_MESSAGE_SPOT_INTERRUPTED, "kwok://a");
    said = env_run(env, "2s");
    assert_says(said, "event Warning nodeclaim/a SpotInterrupted");
    assert_says(said, "event Warning node/node-a SpotInterrupted");
    assert_says(said, "event Warning nodeclaim/a TerminatingOnInterruption");
    assert_says(said, "delete nodeclaim/a");
    assert_false(env_has(env, KUBE_NODE_CLAIM, "a"));
    assert_int_equal(unsettled(env), 0);
    env_free(env);
}

TEST(each_kind_does_what_the_table_says) {
    static const struct {
        CloudMessageKind kind;
        const char *event, *metric;
        bool deletes;
    } rows[] = {
        {CLOUD_MESSAGE_OTHER, "", "no_op", false},
        {CLOUD_MESSAGE_REBALANCE, "event Normal nodeclaim/a SpotRebalanceRecommendation", "rebalance_recommendation",
         false},
        {CLOUD_MESSAGE_SCHEDULED_CHANGE, "event Warning nodeclaim/a InstanceUnhealthy", "scheduled_change", true},
        {CLOUD_MESSAGE_STOPPED, "event Warning nodeclaim/a InstanceStopping", "instance_stopped", true},
        {CLOUD_MESSAGE_TERMINATED, "event Warning nodeclaim/a InstanceTerminating", "instance_terminated", true},
        {CLOUD_MESSAGE_RESERVATION_INTERRUPTED, "event Warning nodeclaim/a CapacityReservationInstanceInterrupted",
         "capacity_reservation_interrupted", true},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        TestEnv *env = interruption_env(true);

        env_send(env, rows[i].kind, "kwok://a");
        assert_says(env_run(env, "3s"), rows[i].event);
        assert_string_equal(cloud_message_text(rows[i].kind), rows[i].metric);
        assert_int_equal(env_has(env, KUBE_NODE_CLAIM, "a"), !rows[i].deletes);
        assert_int_equal(unsettled(env), 0);
        env_free(env);
    }
}

TEST(a_message_about_a_stranger_is_settled) {
    TestEnv *env = interruption_env(true);

    env_send(env, CLOUD_MESSAGE_SPOT_INTERRUPTED, "kwok://elsewhere");
    assert_does_not_say(env_run(env, "3s"), "delete");
    assert_int_equal(unsettled(env), 0);
    env_free(env);
}

TEST(a_deletion_that_fails_leaves_the_message_until_it_succeeds) {
    TestEnv *env = interruption_env(true);

    env_send(env, CLOUD_MESSAGE_SPOT_INTERRUPTED, "kwok://a");
    env_break(env, INTENT_REMOVE, 1, ERR_IO, "connection refused");
    env_run(env, "0s");
    assert_true(env_has(env, KUBE_NODE_CLAIM, "a"));
    assert_int_equal(unsettled(env), 1);
    env_run(env, "10s");
    assert_false(env_has(env, KUBE_NODE_CLAIM, "a"));
    assert_int_equal(unsettled(env), 0);
    env_free(env);
}

// tenon (issue 15, soak): a queue has the messages of all instances of an account, and the cloud hands over a few at
// once.
TEST(behind_messages_the_next_are_asked_for_at_once) {
    TestEnv *env = interruption_env(true);
    int64_t began_ns;

    env_run(env, "1s");
    for (uint32_t i = 0; i < 100; i++)
        env_send(env, CLOUD_MESSAGE_REBALANCE, "kwok://elsewhere");
    env_cloud(env)->messages_most = 10;
    began_ns = env_now_ns(env);
    while (unsettled(env) && env_now_ns(env) < began_ns + SECONDS(60))
        env_run(env, "1s");
    assert_int_equal(unsettled(env), 0);
    assert_true(env_now_ns(env) <= began_ns + SECONDS(INTERRUPTION_PAUSE_S));
    env_free(env);
}

TEST(without_a_queue_nobody_asks) {
    TestEnv *env = interruption_env(false);

    env_send(env, CLOUD_MESSAGE_SPOT_INTERRUPTED, "kwok://a");
    assert_string_equal(env_run(env, "1m"), "");
    env_free(env);
}
