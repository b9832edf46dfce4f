// nodeclaim.lifecycle, launch: reference lifecycle.md 2.1 and each row of 2.3.
#include "ctl/provision/provisioner.h"
#include "ctl/support/claim_env.h"

static const char *launched(TestEnv *env) {
    return env_condition(env, KUBE_NODE_CLAIM, "a", "Launched");
}

// --- before

TEST(the_finalizer_comes_before_the_launch) {
    TestEnv *env = claim_env();

    put_claim(env, "");
    assert_string_equal(env_reconcile(env, "a"),
                        "patch nodeclaim/a locked {\"metadata\":{\"finalizers\":[\"karpenter.sh/termination\"]}}\n");
    env_carry_out(env);
    assert_string_equal(env_reconcile(env, "a"), "launch a\n");
    env_free(env);
}

TEST(the_finalizers_of_others_stay) {
    TestEnv *env = claim_env();

    env_put(env, "{kind: NodeClaim, metadata: {name: a, finalizers: [example.com/mine]}}");
    env_run(env, "1s");
    assert_string_equal(env_part(env, KUBE_NODE_CLAIM, "a", "metadata.finalizers"),
                        "[\"example.com/mine\",\"karpenter.sh/termination\"]");
    env_free(env);
}

TEST(a_claim_of_another_provider_is_left_alone) {
    TestEnv *env = claim_env();

    put_claim(env, "nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}");
    assert_string_equal(env_run(env, "1h"), "");
    env_free(env);
}

TEST(a_claim_that_is_gone_is_no_matter) {
    TestEnv *env = claim_env();

    assert_string_equal(env_reconcile(env, "nobody"), "");
    env_free(env);
}

// --- success

TEST(success) {
    TestEnv *env = claim_env();
    const char *history;

    put_claim(env, "");
    history = env_run(env, "1s");
    assert_string_equal(launched(env), "True/Launched");
    assert_string_equal(env_part(env, KUBE_NODE_CLAIM, "a", "status.providerID"), "\"kwok://a\"");
    assert_string_equal(env_part(env, KUBE_NODE_CLAIM, "a", "status.imageID"), "\"image-1\"");
    assert_string_equal(env_part(env, KUBE_NODE_CLAIM, "a", "status.capacity.memory"), "\"16Gi\"");
    assert_string_equal(env_part(env, KUBE_NODE_CLAIM, "a", "status.allocatable.cpu"), "\"4\"");
    assert_int_equal(env_times(history, "log info launched nodeclaim NodeClaim=a provider-id=kwok://a "
                                        "instance-type=c-4x-amd64-linux zone=test-zone-a capacity-type=on-demand "
                                        "allocatable={\"cpu\":\"4\",\"memory\":\"16Gi\",\"pods\":\"110\"}"),
                     1);
    assert_int_equal(env_cloud(env)->launches, 1);
    env_free(env);
}

TEST(success_labels_of_the_claim_win) {
    TestEnv *env = claim_env();

    env_cloud(env)->label = "team=cloud";
    env_put(env, "{kind: NodeClaim, metadata: {name: a, labels: {team: shop}}}");
    env_run(env, "1s");
    assert_string_equal(env_part(env, KUBE_NODE_CLAIM, "a", "metadata.labels.team"), "\"shop\"");
    assert_string_equal(env_part(env, KUBE_NODE_CLAIM, "a", "metadata.labels.'node.kubernetes.io/instance-type'"),
                        "\"c-4x-amd64-linux\"");
    env_free(env);
}

TEST(success_annotations_of_the_provider_win) {
    TestEnv *env = claim_env();

    env_cloud(env)->annotation = "example.com/version=2";
    env_put(env, "{kind: NodeClaim, metadata: {name: a, annotations: {example.com/version: '1'}}}");
    env_run(env, "1s");
    assert_string_equal(env_part(env, KUBE_NODE_CLAIM, "a", "metadata.annotations.'example.com/version'"), "\"2\"");
    env_free(env);
}

// A status that cannot be written: the instance is remembered.
TEST(a_failed_status_write_never_launches_twice) {
    TestEnv *env = claim_env();

    put_claim(env, "");
    for (int i = 0; i < 2; i++) { // finalizer, launch
        env_reconcile(env, "a");
        env_carry_out(env);
    }
    env_break(env, INTENT_PATCH, 6, ERR_IO, "etcdserver: request timed out");
    env_run(env, "1m"); // 1 + 2 + 4 + 8 + 16 + 32 s
    assert_string_equal(launched(env), "");
    env_run(env, "10s");
    assert_string_equal(launched(env), "True/Launched");
    assert_int_equal(env_cloud(env)->launches, 1);
    env_free(env);
}

TEST(a_conflict_never_launches_twice) {
    TestEnv *env = claim_env();

    put_claim(env, "");
    for (int i = 0; i < 3; i++) { // finalizer, launch, labels
        env_reconcile(env, "a");
        env_carry_out(env);
    }
    env_put_unseen(env, "{kind: NodeClaim, metadata: {name: a, labels: {late: 'yes'}}}");
    assert_says(env_reconcile(env, "a"), "patch nodeclaim/a status locked");
    env_carry_out(env);
    assert_string_equal(launched(env), ""); // conflict
    env_run(env, "2s");
    assert_string_equal(launched(env), "True/Launched");
    assert_int_equal(env_cloud(env)->launches, 1);
    env_free(env);
}

// After an hour the launch is repeated: the claim's uid is the client token, so the result is the same instance.
TEST(a_launch_is_remembered_for_an_hour) {
    Settings settings = env_settings();
    TestEnv *env;

    settings.launch_timeout_ns = settings.registration_timeout_ns = 36000 * NS_PER_S;
    env = env_new(&claim_lifecycle_controller, &settings);
    put_claim(env, "");
    for (int i = 0; i < 2; i++) {
        env_reconcile(env, "a");
        env_carry_out(env);
    }
    env_pass(env, "59m");
    assert_says(env_reconcile(env, "a"), "patch nodeclaim/a");
    env_pass(env, "1m");
    assert_string_equal(env_reconcile(env, "a"), "launch a\n");
    env_carry_out(env);
    assert_int_equal(env_cloud(env)->launches, 2);
    assert_int_equal(env_instances_alive(env), 1);
    env_free(env);
}

TEST(a_process_that_dies_after_the_launch_gets_the_same_instance) {
    TestEnv *env = claim_env();

    put_claim(env, "");
    env_die_after(env, 2); // finalizer, launch: the answer is lost
    env_run(env, "1s");
    assert_string_equal(launched(env), "True/Launched");
    assert_int_equal(env_cloud(env)->launches, 2);
    assert_int_equal(env_instances_alive(env), 1);
    env_free(env);
}

// Metadata is written before Launched becomes True, as it is not written after that.
TEST(killed_between_metadata_and_status) {
    TestEnv *env = claim_env();

    env_cloud(env)->label = "example.com/rack=7";
    put_claim(env, "");
    env_die_after(env, 3); // finalizer, launch, labels
    env_run(env, "1s");
    assert_string_equal(launched(env), "True/Launched");
    assert_string_equal(env_part(env, KUBE_NODE_CLAIM, "a", "metadata.labels.'example.com/rack'"), "\"7\"");
    assert_int_equal(env_instances_alive(env), 1);
    env_free(env);
}

// The instance was launched but the reply was lost: repeated with the same token, the launch returns the same instance.
TEST(a_launch_that_was_not_answered_is_asked_for_with_the_same_token) {
    TestEnv *env = claim_env();

    put_claim(env, "");
    env_reconcile(env, "a"); // finalizer
    env_carry_out(env);
    env_lose_answer(env, INTENT_LAUNCH, 2, ERR_TIMEOUT, "i/o timeout");
    env_run(env, "0s");
    assert_string_equal(launched(env), "Unknown/LaunchFailed: i/o timeout");
    assert_int_equal(env_instances_alive(env), 1);
    env_run(env, "10s");
    assert_string_equal(launched(env), "True/Launched");
    assert_int_equal(env_cloud(env)->launches, 3);
    assert_int_equal(env_instances_alive(env), 1);
    env_free(env);
}

// A status that was written although the call failed is not written again.
TEST(a_status_whose_answer_is_lost) {
    TestEnv *env = claim_env();

    env_lose_answer(env, INTENT_PATCH, 3, ERR_TIMEOUT, "i/o timeout"); // finalizer, labels, status
    put_claim(env, "");
    env_run(env, "1m");
    assert_string_equal(launched(env), "True/Launched");
    assert_int_equal(env_cloud(env)->launches, 1);
    env_free(env);
}

// --- failures

TEST(insufficient_capacity_error) {
    TestEnv *env = claim_env();
    const char *history;

    env_break(env, INTENT_LAUNCH, 1, ERR_CAPACITY, "no m5.large in zone-a");
    put_claim(env, "");
    history = env_run(env, "10s");
    assert_int_equal(env_times(history, "event Warning nodeclaim/a InsufficientCapacityError: NodeClaim a event: no "
                                        "m5.large in zone-a"),
                     1);
    assert_int_equal(env_times(history, "log error failed launching nodeclaim NodeClaim=a error=no m5.large in "
                                        "zone-a"),
                     1);
    assert_says(history, "delete nodeclaim/a");
    assert_false(env_has(env, KUBE_NODE_CLAIM, "a"));
    assert_int_equal(env_cloud(env)->launches, 1);
    assert_int_equal(env_cloud(env)->terminations, 0); // there is nothing to end
    env_free(env);
}

// changes.md 5.2: the provisioner gets the provider's error and reports it to the pods that were planned for the claim.
TEST(insufficient_capacity_error_is_told_to_the_pods) {
    TestEnv *env = claim_env();

    env_break(env, INTENT_LAUNCH, 1, ERR_CAPACITY, "no m5.large");
    put_claim(env, "");
    env_reconcile(env, "a"); // finalizer
    env_carry_out(env);
    env_reconcile(env, "a"); // launch
    env_carry_out(env);
    assert_false(env_asked(env, &provisioner_controller, "no m5.large/a"));
    assert_says(env_reconcile(env, "a"), "delete nodeclaim/a");
    assert_true(env_asked(env, &provisioner_controller, "no m5.large/a")); // before the claim goes
    env_free(env);
}

TEST(other_failures_are_not_told_to_the_pods) {
    TestEnv *env = claim_env();

    env_cloud(env)->class_not_ready = true;
    env_break(env, INTENT_LAUNCH, 1, ERR_INVALID, "no subnets");
    put_claim(env, "");
    env_run(env, "10s");
    assert_false(env_has(env, KUBE_NODE_CLAIM, "a"));
    assert_false(env_asked(env, &provisioner_controller, "no subnets/a"));
    env_free(env);
}

TEST(insufficient_capacity_error_is_cut_at_300_bytes) {
    TestEnv *env = claim_env();
    char words[331];
    const char *at;

    memset(words, 'x', sizeof words - 1);
    words[sizeof words - 1] = '\0';
    env_break(env, INTENT_LAUNCH, 1, ERR_CAPACITY, "%s", words);
    put_claim(env, "");
    at = strstr(env_run(env, "1s"), "NodeClaim a event: ");
    assert_non_null(at);
    at += strlen("NodeClaim a event: ");
    assert_int_equal(strspn(at, "x"), 300);
    assert_memory_equal(at + 300, "...\n", 4);
    env_free(env);
}

TEST(insufficient_capacity_error_deletion_is_tried_again) {
    TestEnv *env = claim_env();
    const char *history;

    env_break(env, INTENT_LAUNCH, 1, ERR_CAPACITY, "none");
    env_break(env, INTENT_REMOVE, 2, ERR_IO, "etcd is away");
    put_claim(env, "");
    history = env_run(env, "1m");
    assert_false(env_has(env, KUBE_NODE_CLAIM, "a"));
    assert_int_equal(env_times(history, "InsufficientCapacityError"), 1);
    assert_int_equal(env_cloud(env)->launches, 1);
    env_free(env);
}

TEST(node_class_not_ready_error) {
    TestEnv *env = claim_env();
    const char *history;

    env_cloud(env)->class_not_ready = true;
    env_break(env, INTENT_LAUNCH, 1, ERR_INVALID, "resolving subnets");
    put_claim(env, "");
    history = env_run(env, "10s");
    assert_says(history, "log error failed launching nodeclaim NodeClaim=a error=resolving subnets");
    assert_says(history, "event Warning nodeclaim/a NodeClassNotReady: NodeClaim a event: resolving subnets");
    assert_false(env_has(env, KUBE_NODE_CLAIM, "a"));
    env_free(env);
}

TEST(create_error_has_the_reason_of_the_provider) {
    TestEnv *env = claim_env();

    env_cloud(env)->failure_reason = "InstanceProfileMissing";
    env_break(env, INTENT_LAUNCH, 1, ERR_INVALID, "no profile");
    put_claim(env, "");
    env_run(env, "0s");
    assert_string_equal(launched(env), "Unknown/InstanceProfileMissing: no profile");
    env_run(env, "1s");
    assert_string_equal(launched(env), "True/Launched");
    env_free(env);
}

TEST(anything_else_is_launch_failed) {
    TestEnv *env = claim_env();
    const char *history;

    env_break(env, INTENT_LAUNCH, 1, ERR_IO, "connection reset");
    put_claim(env, "");
    history = env_run(env, "0s");
    assert_string_equal(launched(env), "Unknown/LaunchFailed: connection reset");
    assert_int_equal(env_times(history, "log error Reconciler error NodeClaim=a error=launching nodeclaim, "
                                        "connection reset"),
                     1);
    assert_string_equal(env_condition(env, KUBE_NODE_CLAIM, "a", "Registered"),
                        "Unknown/NodeNotFound: Node not registered with cluster");
    env_free(env);
}

// 1 s, 2 s, 4 s, … 60 s, whatever else happens to the claim meanwhile.
TEST(launch_backoff_goes_from_1s_to_60s) {
    Settings settings = env_settings();
    TestEnv *env;
    const char *history;

    settings.launch_timeout_ns = 3600 * NS_PER_S;
    env = env_new(&claim_lifecycle_controller, &settings);
    env_break(env, INTENT_LAUNCH, 100, ERR_THROTTLED, "slow down");
    put_claim(env, "");
    history = env_run(env, "4m");
    for (const char *const *at =
             (const char *const[]){"+0s", "+1s", "+3s", "+7s", "+15s", "+31s", "+1m3s", "+2m3s", "+3m3s", NULL};
         *at; at++) {
        char line[32];

        snprintf(line, sizeof line, "%s launch a\n", *at);
        assert_says(history, line);
    }
    assert_int_equal(env_cloud(env)->launches, 9);
    env_put(env, "{kind: NodeClaim, metadata: {name: a, labels: {touched: 'yes'}}}");
    assert_does_not_say(env_run(env, "1s"), "launch");
    env_free(env);
}

TEST(a_clock_that_is_set_back_does_not_put_a_launch_off) {
    TestEnv *env = claim_env();

    env_break(env, INTENT_LAUNCH, 5, ERR_THROTTLED, "slow down");
    put_claim(env, "");
    env_run(env, "20s"); // the next try is in 11 s
    env_set_clock(env, "-1h");
    assert_does_not_say(env_run(env, "10s"), "launch a");
    assert_says(env_run(env, "1s"), "launch a");
    assert_string_equal(launched(env), "True/Launched");
    env_free(env);
}

// W9: launches are independent: a slow or failing one does not stop others.
TEST(one_failing_launch_stalls_no_other) {
    TestEnv *env = claim_env();

    env_break(env, INTENT_LAUNCH, 1, ERR_TIMEOUT, "slow");
    put_claim(env, "");
    env_put(env, "{kind: NodeClaim, metadata: {name: b}}");
    env_run(env, "0s");
    assert_says(launched(env), "Unknown/LaunchFailed");
    assert_string_equal(env_condition(env, KUBE_NODE_CLAIM, "b", "Launched"), "True/Launched");
    env_free(env);
}
