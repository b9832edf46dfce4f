// nodeclaim.lifecycle, launch: reference lifecycle.md 2.1 and each row of 2.3.
#include "ctl/provision/provisioner.h"
#include "ctl/support/claim_stage.h"

static const char *launched(Stage *stage) {
    return stage_condition(stage, KUBE_NODE_CLAIM, "a", "Launched");
}

// --- before

TEST(the_finalizer_comes_before_the_launch) {
    Stage *stage = claim_stage();

    put_claim(stage, "");
    assert_string_equal(stage_reconcile(stage, "a"),
                        "patch nodeclaim/a locked {\"metadata\":{\"finalizers\":[\"karpenter.sh/termination\"]}}\n");
    stage_carry_out(stage);
    assert_string_equal(stage_reconcile(stage, "a"), "launch a\n");
    stage_free(stage);
}

TEST(the_finalizers_of_others_stay) {
    Stage *stage = claim_stage();

    stage_put(stage, "{kind: NodeClaim, metadata: {name: a, finalizers: [example.com/mine]}}");
    stage_run(stage, "1s");
    assert_string_equal(stage_part(stage, KUBE_NODE_CLAIM, "a", "metadata.finalizers"),
                        "[\"example.com/mine\",\"karpenter.sh/termination\"]");
    stage_free(stage);
}

TEST(a_claim_of_another_provider_is_left_alone) {
    Stage *stage = claim_stage();

    put_claim(stage, "nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}");
    assert_string_equal(stage_run(stage, "1h"), "");
    stage_free(stage);
}

TEST(a_claim_that_is_gone_is_no_matter) {
    Stage *stage = claim_stage();

    assert_string_equal(stage_reconcile(stage, "nobody"), "");
    stage_free(stage);
}

// --- success

TEST(success) {
    Stage *stage = claim_stage();
    const char *history;

    put_claim(stage, "");
    history = stage_run(stage, "1s");
    assert_string_equal(launched(stage), "True/Launched");
    assert_string_equal(stage_part(stage, KUBE_NODE_CLAIM, "a", "status.providerID"), "\"kwok://a\"");
    assert_string_equal(stage_part(stage, KUBE_NODE_CLAIM, "a", "status.imageID"), "\"image-1\"");
    assert_string_equal(stage_part(stage, KUBE_NODE_CLAIM, "a", "status.capacity.memory"), "\"16Gi\"");
    assert_string_equal(stage_part(stage, KUBE_NODE_CLAIM, "a", "status.allocatable.cpu"), "\"4\"");
    assert_int_equal(stage_times(history, "log info launched nodeclaim NodeClaim=a provider-id=kwok://a "
                                          "instance-type=c-4x-amd64-linux zone=test-zone-a capacity-type=on-demand "
                                          "allocatable={\"cpu\":\"4\",\"memory\":\"16Gi\",\"pods\":\"110\"}"),
                     1);
    assert_int_equal(stage_cloud(stage)->launches, 1);
    stage_free(stage);
}

TEST(success_labels_of_the_claim_win) {
    Stage *stage = claim_stage();

    stage_cloud(stage)->label = "team=cloud";
    stage_put(stage, "{kind: NodeClaim, metadata: {name: a, labels: {team: shop}}}");
    stage_run(stage, "1s");
    assert_string_equal(stage_part(stage, KUBE_NODE_CLAIM, "a", "metadata.labels.team"), "\"shop\"");
    assert_string_equal(stage_part(stage, KUBE_NODE_CLAIM, "a", "metadata.labels.'node.kubernetes.io/instance-type'"),
                        "\"c-4x-amd64-linux\"");
    stage_free(stage);
}

TEST(success_annotations_of_the_provider_win) {
    Stage *stage = claim_stage();

    stage_cloud(stage)->annotation = "example.com/version=2";
    stage_put(stage, "{kind: NodeClaim, metadata: {name: a, annotations: {example.com/version: '1'}}}");
    stage_run(stage, "1s");
    assert_string_equal(stage_part(stage, KUBE_NODE_CLAIM, "a", "metadata.annotations.'example.com/version'"), "\"2\"");
    stage_free(stage);
}

// A status that cannot be written: the instance is remembered.
TEST(a_failed_status_write_never_launches_twice) {
    Stage *stage = claim_stage();

    put_claim(stage, "");
    for (int i = 0; i < 2; i++) { // finalizer, launch
        stage_reconcile(stage, "a");
        stage_carry_out(stage);
    }
    stage_break(stage, INTENT_PATCH, 6, ERR_IO, "etcdserver: request timed out");
    stage_run(stage, "1m"); // 1 + 2 + 4 + 8 + 16 + 32 s
    assert_string_equal(launched(stage), "");
    stage_run(stage, "10s");
    assert_string_equal(launched(stage), "True/Launched");
    assert_int_equal(stage_cloud(stage)->launches, 1);
    stage_free(stage);
}

TEST(a_conflict_never_launches_twice) {
    Stage *stage = claim_stage();

    put_claim(stage, "");
    for (int i = 0; i < 3; i++) { // finalizer, launch, labels
        stage_reconcile(stage, "a");
        stage_carry_out(stage);
    }
    stage_put_unseen(stage, "{kind: NodeClaim, metadata: {name: a, labels: {late: 'yes'}}}");
    assert_says(stage_reconcile(stage, "a"), "patch nodeclaim/a status locked");
    stage_carry_out(stage);
    assert_string_equal(launched(stage), ""); // conflict
    stage_run(stage, "2s");
    assert_string_equal(launched(stage), "True/Launched");
    assert_int_equal(stage_cloud(stage)->launches, 1);
    stage_free(stage);
}

// After an hour the result is asked for again: the uid of the claim is the token, so it is the same instance.
TEST(a_launch_is_remembered_for_an_hour) {
    Settings settings = stage_settings();
    Stage *stage;

    settings.launch_timeout_ns = settings.registration_timeout_ns = 36000 * NS_PER_S;
    stage = stage_new(&claim_lifecycle_controller, &settings);
    put_claim(stage, "");
    for (int i = 0; i < 2; i++) {
        stage_reconcile(stage, "a");
        stage_carry_out(stage);
    }
    stage_pass(stage, "59m");
    assert_says(stage_reconcile(stage, "a"), "patch nodeclaim/a");
    stage_pass(stage, "1m");
    assert_string_equal(stage_reconcile(stage, "a"), "launch a\n");
    stage_carry_out(stage);
    assert_int_equal(stage_cloud(stage)->launches, 2);
    assert_int_equal(stage_instances_alive(stage), 1);
    stage_free(stage);
}

TEST(a_process_that_dies_after_the_launch_gets_the_same_instance) {
    Stage *stage = claim_stage();

    put_claim(stage, "");
    stage_die_after(stage, 2); // finalizer, launch: the answer is lost
    stage_run(stage, "1s");
    assert_string_equal(launched(stage), "True/Launched");
    assert_int_equal(stage_cloud(stage)->launches, 2);
    assert_int_equal(stage_instances_alive(stage), 1);
    stage_free(stage);
}

// Metadata is stored before Launched becomes True: nobody would ask for it afterwards.
TEST(killed_between_metadata_and_status) {
    Stage *stage = claim_stage();

    stage_cloud(stage)->label = "example.com/rack=7";
    put_claim(stage, "");
    stage_die_after(stage, 3); // finalizer, launch, labels
    stage_run(stage, "1s");
    assert_string_equal(launched(stage), "True/Launched");
    assert_string_equal(stage_part(stage, KUBE_NODE_CLAIM, "a", "metadata.labels.'example.com/rack'"), "\"7\"");
    assert_int_equal(stage_instances_alive(stage), 1);
    stage_free(stage);
}

// The instance came into being, the answer did not come: asked again with the same token, the cloud gives it again.
TEST(a_launch_that_was_not_answered_is_asked_for_with_the_same_token) {
    Stage *stage = claim_stage();

    put_claim(stage, "");
    stage_reconcile(stage, "a"); // finalizer
    stage_carry_out(stage);
    stage_lose_answer(stage, INTENT_LAUNCH, 2, ERR_TIMEOUT, "i/o timeout");
    stage_run(stage, "0s");
    assert_string_equal(launched(stage), "Unknown/LaunchFailed: i/o timeout");
    assert_int_equal(stage_instances_alive(stage), 1);
    stage_run(stage, "10s");
    assert_string_equal(launched(stage), "True/Launched");
    assert_int_equal(stage_cloud(stage)->launches, 3);
    assert_int_equal(stage_instances_alive(stage), 1);
    stage_free(stage);
}

// A status that was written although the answer said otherwise is not written again.
TEST(a_status_whose_answer_is_lost) {
    Stage *stage = claim_stage();

    stage_lose_answer(stage, INTENT_PATCH, 3, ERR_TIMEOUT, "i/o timeout"); // finalizer, labels, status
    put_claim(stage, "");
    stage_run(stage, "1m");
    assert_string_equal(launched(stage), "True/Launched");
    assert_int_equal(stage_cloud(stage)->launches, 1);
    stage_free(stage);
}

// --- failures

TEST(insufficient_capacity_error) {
    Stage *stage = claim_stage();
    const char *history;

    stage_break(stage, INTENT_LAUNCH, 1, ERR_CAPACITY, "no m5.large in zone-a");
    put_claim(stage, "");
    history = stage_run(stage, "10s");
    assert_int_equal(stage_times(history, "event Warning nodeclaim/a InsufficientCapacityError: NodeClaim a event: no "
                                          "m5.large in zone-a"),
                     1);
    assert_int_equal(stage_times(history, "log error failed launching nodeclaim NodeClaim=a error=no m5.large in "
                                          "zone-a"),
                     1);
    assert_says(history, "delete nodeclaim/a");
    assert_false(stage_has(stage, KUBE_NODE_CLAIM, "a"));
    assert_int_equal(stage_cloud(stage)->launches, 1);
    assert_int_equal(stage_cloud(stage)->terminations, 0); // there is nothing to end
    stage_free(stage);
}

// changes.md 5.2: who planned the pods for the claim is told, with the provider's words, and tells the pods.
TEST(insufficient_capacity_error_is_told_to_the_pods) {
    Stage *stage = claim_stage();

    stage_break(stage, INTENT_LAUNCH, 1, ERR_CAPACITY, "no m5.large");
    put_claim(stage, "");
    stage_reconcile(stage, "a"); // finalizer
    stage_carry_out(stage);
    stage_reconcile(stage, "a"); // launch
    stage_carry_out(stage);
    assert_false(stage_asked(stage, &provisioner_controller, "no m5.large/a"));
    assert_says(stage_reconcile(stage, "a"), "delete nodeclaim/a");
    assert_true(stage_asked(stage, &provisioner_controller, "no m5.large/a")); // before the claim goes
    stage_free(stage);
}

TEST(other_failures_are_not_told_to_the_pods) {
    Stage *stage = claim_stage();

    stage_cloud(stage)->class_not_ready = true;
    stage_break(stage, INTENT_LAUNCH, 1, ERR_INVALID, "no subnets");
    put_claim(stage, "");
    stage_run(stage, "10s");
    assert_false(stage_has(stage, KUBE_NODE_CLAIM, "a"));
    assert_false(stage_asked(stage, &provisioner_controller, "no subnets/a"));
    stage_free(stage);
}

TEST(insufficient_capacity_error_is_cut_at_300_bytes) {
    Stage *stage = claim_stage();
    char words[331];
    const char *at;

    memset(words, 'x', sizeof words - 1);
    words[sizeof words - 1] = '\0';
    stage_break(stage, INTENT_LAUNCH, 1, ERR_CAPACITY, "%s", words);
    put_claim(stage, "");
    at = strstr(stage_run(stage, "1s"), "NodeClaim a event: ");
    assert_non_null(at);
    at += strlen("NodeClaim a event: ");
    assert_int_equal(strspn(at, "x"), 300);
    assert_memory_equal(at + 300, "...\n", 4);
    stage_free(stage);
}

TEST(insufficient_capacity_error_deletion_is_tried_again) {
    Stage *stage = claim_stage();
    const char *history;

    stage_break(stage, INTENT_LAUNCH, 1, ERR_CAPACITY, "none");
    stage_break(stage, INTENT_REMOVE, 2, ERR_IO, "etcd is away");
    put_claim(stage, "");
    history = stage_run(stage, "1m");
    assert_false(stage_has(stage, KUBE_NODE_CLAIM, "a"));
    assert_int_equal(stage_times(history, "InsufficientCapacityError"), 1);
    assert_int_equal(stage_cloud(stage)->launches, 1);
    stage_free(stage);
}

TEST(node_class_not_ready_error) {
    Stage *stage = claim_stage();
    const char *history;

    stage_cloud(stage)->class_not_ready = true;
    stage_break(stage, INTENT_LAUNCH, 1, ERR_INVALID, "resolving subnets");
    put_claim(stage, "");
    history = stage_run(stage, "10s");
    assert_says(history, "log error failed launching nodeclaim NodeClaim=a error=resolving subnets");
    assert_says(history, "event Warning nodeclaim/a NodeClassNotReady: NodeClaim a event: resolving subnets");
    assert_false(stage_has(stage, KUBE_NODE_CLAIM, "a"));
    stage_free(stage);
}

TEST(create_error_has_the_reason_of_the_provider) {
    Stage *stage = claim_stage();

    stage_cloud(stage)->failure_reason = "InstanceProfileMissing";
    stage_break(stage, INTENT_LAUNCH, 1, ERR_INVALID, "no profile");
    put_claim(stage, "");
    stage_run(stage, "0s");
    assert_string_equal(launched(stage), "Unknown/InstanceProfileMissing: no profile");
    stage_run(stage, "1s");
    assert_string_equal(launched(stage), "True/Launched");
    stage_free(stage);
}

TEST(anything_else_is_launch_failed) {
    Stage *stage = claim_stage();
    const char *history;

    stage_break(stage, INTENT_LAUNCH, 1, ERR_IO, "connection reset");
    put_claim(stage, "");
    history = stage_run(stage, "0s");
    assert_string_equal(launched(stage), "Unknown/LaunchFailed: connection reset");
    assert_int_equal(stage_times(history, "log error Reconciler error NodeClaim=a error=launching nodeclaim, "
                                          "connection reset"),
                     1);
    assert_string_equal(stage_condition(stage, KUBE_NODE_CLAIM, "a", "Registered"),
                        "Unknown/NodeNotFound: Node not registered with cluster");
    stage_free(stage);
}

// 1 s, 2 s, 4 s, … 60 s, whatever else happens to the claim meanwhile.
TEST(launch_backoff_goes_from_1s_to_60s) {
    Settings settings = stage_settings();
    Stage *stage;
    const char *history;

    settings.launch_timeout_ns = 3600 * NS_PER_S;
    stage = stage_new(&claim_lifecycle_controller, &settings);
    stage_break(stage, INTENT_LAUNCH, 100, ERR_THROTTLED, "slow down");
    put_claim(stage, "");
    history = stage_run(stage, "4m");
    for (const char *const *at =
             (const char *const[]){"+0s", "+1s", "+3s", "+7s", "+15s", "+31s", "+1m3s", "+2m3s", "+3m3s", NULL};
         *at; at++) {
        char line[32];

        snprintf(line, sizeof line, "%s launch a\n", *at);
        assert_says(history, line);
    }
    assert_int_equal(stage_cloud(stage)->launches, 9);
    stage_put(stage, "{kind: NodeClaim, metadata: {name: a, labels: {touched: 'yes'}}}");
    assert_does_not_say(stage_run(stage, "1s"), "launch");
    stage_free(stage);
}

TEST(a_clock_that_is_set_back_does_not_put_a_launch_off) {
    Stage *stage = claim_stage();

    stage_break(stage, INTENT_LAUNCH, 5, ERR_THROTTLED, "slow down");
    put_claim(stage, "");
    stage_run(stage, "20s"); // the next try is in 11 s
    stage_set_clock(stage, "-1h");
    assert_does_not_say(stage_run(stage, "10s"), "launch a");
    assert_says(stage_run(stage, "1s"), "launch a");
    assert_string_equal(launched(stage), "True/Launched");
    stage_free(stage);
}

// W9: claims are independent, whoever is slow or fails.
TEST(one_failing_launch_stalls_no_other) {
    Stage *stage = claim_stage();

    stage_break(stage, INTENT_LAUNCH, 1, ERR_TIMEOUT, "slow");
    put_claim(stage, "");
    stage_put(stage, "{kind: NodeClaim, metadata: {name: b}}");
    stage_run(stage, "0s");
    assert_says(launched(stage), "Unknown/LaunchFailed");
    assert_string_equal(stage_condition(stage, KUBE_NODE_CLAIM, "b", "Launched"), "True/Launched");
    stage_free(stage);
}
