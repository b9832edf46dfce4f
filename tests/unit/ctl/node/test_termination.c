// node.termination, a test for each row of reference lifecycle.md 3.1 and 3.2.
#include "base/time.h"
#include "ctl/node_env.h"

static TestEnv *ending(void) {
    TestEnv *env = node_env(&node_termination_controller, &eviction_queue_controller);

    env_delete(env, KUBE_NODE, "n1");
    return env;
}

// --- 3.1 entry

TEST(entry_a_node_that_is_not_deleted_is_left_alone) {
    TestEnv *env = node_env(&node_termination_controller, NULL);

    assert_string_equal(env_run(env, "1m"), "");
    assert_string_equal(env_reconcile(env, "n1"), "");
    env_free(env);
}

TEST(entry_an_unmanaged_node_is_left_alone) {
    TestEnv *env = node_env(&node_termination_controller, NULL);

    env_put(env, "{kind: Node, metadata: {name: n1, labels: {karpenter.kwok.sh/kwoknodeclass: null}}}");
    env_delete(env, KUBE_NODE, "n1");
    assert_string_equal(env_run(env, "1m"), "");
    env_free(env);
}

TEST(entry_a_node_without_the_finalizer_is_left_alone) {
    TestEnv *env = node_env(&node_termination_controller, NULL);

    env_put(env, "{kind: Node, metadata: {name: n1, finalizers: [example.com/mine]}}");
    env_delete(env, KUBE_NODE, "n1");
    assert_string_equal(env_run(env, "1m"), "");
    env_free(env);
}

TEST(entry_without_a_nodeclaim_only_drain_and_volumes) {
    TestEnv *env = node_env(&node_termination_controller, &eviction_queue_controller);
    const char *history;

    env_remove(env, KUBE_NODE_CLAIM, "a");
    put_pod(env, "p", "", "");
    env_delete(env, KUBE_NODE, "n1");
    history = env_run(env, "1s");
    assert_says(history, "evict pod/default/p");
    assert_does_not_say(history, "nodeclaim");
    env_remove(env, KUBE_POD, "p");
    assert_says(env_run(env, "0s"), "log info deleted node");
    assert_false(env_has(env, KUBE_NODE, "n1"));
    assert_int_equal(env_cloud(env)->terminations, 0);
    env_free(env);
}

TEST(entry_two_nodeclaims_count_as_none) {
    TestEnv *env = node_env(&node_termination_controller, &eviction_queue_controller);

    env_put(env, "{kind: NodeClaim, metadata: {name: b}, status: {providerID: 'kwok://a'}}");
    env_delete(env, KUBE_NODE, "n1");
    env_run(env, "0s");
    assert_false(env_has(env, KUBE_NODE, "n1"));
    assert_string_equal(env_part(env, KUBE_NODE_CLAIM, "a", "metadata.deletionTimestamp"), "");
    assert_int_equal(env_cloud(env)->terminations, 0);
    env_free(env);
}

// --- 3.2 the whole sequence

static const char SEQUENCE[] =
    "+0s delete nodeclaim/a\n"
    "+0s patch node/n1 locked {\"metadata\":{\"labels\":{\"node.kubernetes.io/"
    "exclude-from-external-load-balancers\":\"karpenter\"}},\"spec\":{\"taints\":[{\"key\":\"node.kubernetes.io/"
    "not-ready\",\"effect\":\"NoSchedule\"},{\"key\":\"karpenter.sh/disrupted\",\"effect\":\"NoSchedule\"}]}}\n"
    "+0s log info tainted node Node=n1 taint.Key=karpenter.sh/disrupted taint.Value= taint.Effect=NoSchedule\n"
    "+0s patch nodeclaim/a status locked {\"status\":{\"conditions\":[Launched=True/Launched,Registered=True/"
    "Registered,Initialized=True/Initialized,Drained=Unknown/Draining,Ready=True/Ready]}}\n"
    "+5s read pods spec.nodeName=n1\n"
    "+5s patch nodeclaim/a status locked {\"status\":{\"conditions\":[Launched=True/Launched,Registered=True/"
    "Registered,Initialized=True/Initialized,Drained=True/Drained,VolumesDetached=True/VolumesDetached,Ready=True/"
    "Ready]}}\n"
    "+5s terminate kwok://a\n"
    "+5s patch nodeclaim/a status locked {\"status\":{\"conditions\":[Launched=True/Launched,Registered=True/"
    "Registered,Initialized=True/Initialized,Drained=True/Drained,VolumesDetached=True/VolumesDetached,"
    "InstanceTerminating=True/InstanceTerminating,Ready=True/Ready]}}\n"
    "+10s terminate kwok://a\n"
    "+15s terminate kwok://a\n"
    "+15s patch node/n1 {\"metadata\":{\"uid\":%s,\"$deleteFromPrimitiveList/finalizers\":[\"karpenter.sh/"
    "termination\"]}}\n"
    "+15s log info deleted node Node=n1 NodeClaim=a\n";

TEST(sequence_of_an_empty_node) {
    TestEnv *env = ending();
    const char *uid = env_part(env, KUBE_NODE, "n1", "metadata.uid");
    char expected[4096];

    assert_true((size_t)snprintf(expected, sizeof expected, SEQUENCE, uid) < sizeof expected);
    assert_string_equal(env_run(env, "30s"), expected);
    assert_false(env_has(env, KUBE_NODE, "n1"));
    assert_int_equal(env_instances_alive(env), 0);
    env_free(env);
}

TEST(step_1_the_nodeclaim_is_deleted_once) {
    TestEnv *env = ending();

    assert_says(env_reconcile(env, "n1"), "delete nodeclaim/a");
    env_forget(env); // the State does not show it yet
    assert_does_not_say(env_reconcile(env, "n1"), "delete nodeclaim/a");
    env_pass(env, "5s"); // the call seems to be lost
    assert_says(env_reconcile(env, "n1"), "delete nodeclaim/a");
    env_free(env);
}

TEST(step_1_a_nodeclaim_that_goes_already_is_not_deleted_again) {
    TestEnv *env = node_env(&node_termination_controller, NULL);

    env_delete(env, KUBE_NODE_CLAIM, "a");
    env_delete(env, KUBE_NODE, "n1");
    assert_does_not_say(env_run(env, "10s"), "delete nodeclaim/a");
    env_free(env);
}

TEST(step_1_a_nodeclaim_that_cannot_be_deleted_holds_the_node) {
    TestEnv *env = node_env(&node_termination_controller, NULL);
    const char *history;

    env_put(env, "{kind: Node, metadata: {name: n1}, status: {conditions: [Ready=Unknown]}}");
    env_lose_instance(env, "kwok://a");
    env_break(env, INTENT_REMOVE, 3, ERR_DENIED, "not you");
    env_delete(env, KUBE_NODE, "n1");
    history = env_run(env, "500ms");
    assert_int_equal(env_times(history, "delete nodeclaim/a"), 3); // it does not wait for the State to show it
    assert_true(env_has(env, KUBE_NODE, "n1"));
    env_run(env, "5s");
    assert_false(env_has(env, KUBE_NODE, "n1"));
    env_free(env);
}

static void put_ready(TestEnv *env, const char *status) {
    env_put(env, "{kind: Node, metadata: {name: n1}, status: {conditions: [Ready=%s]}}", status);
}

TEST(step_2_not_ready_and_instance_gone_ends_at_once) {
    static const char *const conditions[] = {"[Ready=False]", "[Ready=Unknown]", "[]"};

    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++) {
        TestEnv *env = node_env(&node_termination_controller, &eviction_queue_controller);

        env_put(env, "{kind: Node, metadata: {name: n1}, status: {conditions: %s}}", conditions[i]);
        put_pod(env, "p", DO_NOT_DISRUPT, "");
        env_lose_instance(env, "kwok://a");
        env_delete(env, KUBE_NODE, "n1");
        assert_does_not_say(env_run(env, "0s"), "evict");
        assert_false(env_has(env, KUBE_NODE, "n1"));
        env_free(env);
    }
}

TEST(step_2_not_ready_but_the_instance_is_there_is_drained) {
    TestEnv *env = ending();

    put_ready(env, "Unknown");
    put_pod(env, "p", "", "");
    assert_says(env_run(env, "0s"), "evict pod/default/p");
    assert_int_equal(env_cloud(env)->gets, 1);
    env_run(env, "10s");
    assert_true(env_cloud(env)->gets <= 3); // a result is used for five seconds
    env_lose_instance(env, "kwok://a");
    env_run(env, "6s");
    assert_false(env_has(env, KUBE_NODE, "n1"));
    env_free(env);
}

TEST(step_2_a_ready_node_is_drained_whatever_the_cloud_says) {
    TestEnv *env = ending();

    put_pod(env, "p", "", "");
    env_lose_instance(env, "kwok://a");
    assert_says(env_run(env, "2s"), "evict pod/default/p");
    assert_true(env_has(env, KUBE_NODE, "n1"));
    assert_int_equal(env_cloud(env)->gets, 0);
    env_free(env);
}

TEST(step_2_a_cloud_that_fails_is_asked_again) {
    TestEnv *env = ending();
    const char *history;

    put_ready(env, "False");
    env_break(env, INTENT_GET_INSTANCE, 1, ERR_THROTTLED, "slow down");
    history = env_run(env, "1s");
    assert_says(history, "log error Reconciler error error=getting nodeclaim, slow down");
    assert_says(history, "tainted node");
    env_free(env);
}

TEST(step_3_the_deadline_is_told_on_the_node) {
    TestEnv *env = ending();

    put_deadline(env, "2026-01-05T01:00:00Z");
    put_pod(env, "p", DO_NOT_DISRUPT, "");
    assert_says(env_run(env, "0s"), "event Warning node/n1 TerminationGracePeriodExpiring: All pods will be deleted "
                                    "by 2026-01-05T01:00:00Z");
    env_free(env);
}

TEST(step_3_a_deadline_that_is_no_time_stops_the_drain) {
    TestEnv *env = ending();
    const char *history;

    put_deadline(env, "tomorrow");
    put_pod(env, "p", "", "");
    history = env_run(env, "10s");
    assert_says(history, "log error Reconciler error error=parsing annotation, ");
    assert_does_not_say(history, "evict");
    put_deadline(env, "2026-01-05T01:00:00Z");
    assert_says(env_run(env, "1s"), "evict pod/default/p");
    env_free(env);
}

TEST(step_4_taints_of_others_stay_and_the_same_key_is_replaced) {
    TestEnv *env = node_env(&node_termination_controller, NULL);

    env_put(env, "{kind: Node, metadata: {name: n1}, spec: {taints: [{key: a, value: b, effect: NoExecute}, {key: "
                 "karpenter.sh/disrupted, effect: NoExecute}]}}");
    env_delete(env, KUBE_NODE, "n1");
    env_run(env, "0s");
    assert_string_equal(env_part(env, KUBE_NODE, "n1", "spec.taints"),
                        "[{\"key\":\"a\",\"value\":\"b\",\"effect\":\"NoExecute\"},"
                        "{\"key\":\"karpenter.sh/disrupted\",\"effect\":\"NoSchedule\"}]");
    assert_string_equal(
        env_part(env, KUBE_NODE, "n1", "metadata.labels.'node.kubernetes.io/exclude-from-external-load-balancers'"),
        "\"karpenter\"");
    assert_string_equal(env_part(env, KUBE_NODE, "n1", "spec.unschedulable"), "");
    env_free(env);
}

TEST(step_4_a_node_that_is_tainted_gets_the_label_only) {
    TestEnv *env = node_env(&node_termination_controller, NULL);
    const char *wishes;

    env_put(env, "{kind: Node, metadata: {name: n1}, spec: {taints: [{key: karpenter.sh/disrupted, effect: "
                 "NoSchedule}]}}");
    env_delete(env, KUBE_NODE, "n1");
    wishes = env_reconcile(env, "n1");
    assert_says(wishes, "patch node/n1 locked {\"metadata\":{\"labels\":");
    assert_does_not_say(wishes, "taints");
    env_free(env);
}

TEST(step_4_a_taint_that_came_meanwhile_is_not_lost) {
    TestEnv *env = ending();
    const char *taints;

    env_reconcile(env, "n1");
    env_put_unseen(env, "{kind: Node, metadata: {name: n1}, spec: {taints: [{key: a, effect: NoExecute}]}}");
    env_carry_out(env); // refused: the resourceVersion changed
    assert_int_equal(env_retries(env, "n1"), 1);
    env_run(env, "1s");
    taints = env_part(env, KUBE_NODE, "n1", "spec.taints");
    assert_says(taints, "\"key\":\"a\"");
    assert_says(taints, "\"key\":\"karpenter.sh/disrupted\"");
    env_free(env);
}

TEST(step_4_nothing_is_evicted_before_the_taint) {
    TestEnv *env = ending();
    const char *history;

    put_pod(env, "p", "", "");
    env_break(env, INTENT_PATCH, 3, ERR_TIMEOUT, "late");
    history = env_run(env, "200ms");
    assert_says(history, "log error Reconciler error error=late");
    assert_does_not_say(history, "evict");
    assert_says(env_run(env, "10s"), "evict pod/default/p");
    env_free(env);
}

// --- the table of 3.2

TEST(row_drain) {
    TestEnv *env = ending();
    const char *history;

    put_pod(env, "p", DO_NOT_DISRUPT, "");
    put_pod(env, "q", DO_NOT_DISRUPT, "");
    history = env_run(env, "0s");
    assert_says(history,
                "event Warning node/n1 FailedDraining: Failed to drain node, 2 pods are waiting to be evicted\n");
    assert_string_equal(env_condition(env, KUBE_NODE_CLAIM, "a", "Drained"), "Unknown/Draining: Draining");
    assert_string_equal(env_due(env, "n1"), "1s");
    env_run(env, "10m");
    assert_string_equal(env_condition(env, KUBE_NODE_CLAIM, "a", "Drained"), "Unknown/Draining: Draining");
    assert_true(env_has(env, KUBE_NODE, "n1")); // without a deadline it waits for ever
    assert_int_equal(env_cloud(env)->terminations, 0);
    env_free(env);
}

TEST(row_drain_goes_on_as_soon_as_a_pod_is_gone) {
    TestEnv *env = ending();

    put_pod(env, "p", "", "");
    put_pod(env, "q", "", CRITICAL);
    env_run(env, "40s300ms");
    env_remove(env, KUBE_POD, "p"); // no poll is due now
    assert_says(env_run(env, "0s"), "+0s evict pod/default/q");
    env_remove(env, KUBE_POD, "q");
    assert_says(env_run(env, "0s"), "+0s terminate kwok://a");
    env_free(env);
}

TEST(row_drain_a_pod_that_comes_late_is_drained_too) {
    TestEnv *env = ending();

    env_run(env, "2s");
    put_pod(env, "late", "", "");
    assert_says(env_run(env, "0s"), "+0s evict pod/default/late");
    env_free(env);
}

TEST(row_drain_a_tier_that_was_overtaken_goes_on_afterwards) {
    TestEnv *env = ending();

    put_budget(env, "b", "q", 0);
    put_pod(env, "q", "", CRITICAL);
    assert_says(env_run(env, "20s"), "evict pod/default/q");
    put_pod(env, "late", "", "");
    assert_does_not_say(env_run(env, "5s"), "evict pod/default/q"); // its next attempt would be in this time
    put_budget(env, "b", "q", 1);
    env_remove(env, KUBE_POD, "late");
    assert_says(env_run(env, "0s"), "+0s evict pod/default/q");
    env_free(env);
}

TEST(row_drain_stuck_terminating_pods_are_not_waited_for) {
    TestEnv *env = ending();

    put_pod(env, "p", ", finalizers: [example.com/stuck]", "");
    env_run(env, "1m30s"); // 30 s of grace and a minute
    assert_int_equal(env_cloud(env)->terminations, 0);
    assert_says(env_run(env, "1s"), "terminate kwok://a");
    env_free(env);
}

TEST(row_minimum_drain_time) {
    TestEnv *env = ending();

    assert_does_not_say(env_run(env, "4900ms"), "terminate");
    assert_string_equal(env_condition(env, KUBE_NODE_CLAIM, "a", "Drained"), "Unknown/Draining: Draining");
    assert_says(env_run(env, "100ms"), "terminate");
    assert_string_equal(env_condition(env, KUBE_NODE_CLAIM, "a", "Drained"), "True/Drained");
    env_free(env);
}

TEST(row_minimum_drain_time_ends_with_a_look_at_the_api_server) {
    TestEnv *env = ending();
    const char *history;

    env_break(env, INTENT_READ, 1, ERR_IO, "the API server is away");
    history = env_run(env, "5s");
    assert_says(history, "read pods spec.nodeName=n1");
    assert_does_not_say(history, "terminate");
    history = env_run(env, "1s");
    assert_int_equal(env_times(history, "read pods spec.nodeName=n1"), 1);
    assert_says(history, "terminate kwok://a");
    env_free(env);
}

static void put_volume(TestEnv *env, const char *name, const char *volume) {
    env_put(env, "{kind: VolumeAttachment, metadata: {name: %s}, spec: {attacher: ebs, nodeName: n1, source: {%s}}}",
            name, volume);
}

TEST(row_volumes) {
    TestEnv *env = ending();
    const char *history;

    for (char name[] = "va-1"; name[3] <= '7'; name[3]++)
        put_volume(env, name, "persistentVolumeName: v");
    history = env_run(env, "5s");
    assert_says(history, "event Normal node/n1 AwaitingVolumeDetachment: Awaiting deletion of bound volumeattachments "
                         "(va-1, va-2, va-3, va-4, va-5 and 2 other(s))\n");
    assert_string_equal(env_condition(env, KUBE_NODE_CLAIM, "a", "VolumesDetached"),
                        "Unknown/AwaitingVolumeDetachment: AwaitingVolumeDetachment");
    assert_string_equal(env_due(env, "n1"), "1s");
    assert_does_not_say(env_run(env, "10m"), "terminate");
    for (char name[] = "va-1"; name[3] <= '7'; name[3]++)
        env_remove(env, KUBE_VOLUME_ATTACHMENT, name);
    assert_says(env_run(env, "0s"), "terminate");
    assert_string_equal(env_condition(env, KUBE_NODE_CLAIM, "a", "VolumesDetached"), "True/VolumesDetached");
    env_free(env);
}

TEST(row_volumes_a_few_are_named_alone) {
    TestEnv *env = ending();

    put_volume(env, "va-1", "persistentVolumeName: v");
    put_volume(env, "va-2", "persistentVolumeName: w");
    assert_says(env_run(env, "5s"), "bound volumeattachments (va-1, va-2)\n");
    env_free(env);
}

TEST(row_volumes_exceptions) {
    TestEnv *env = ending();

    put_volume(env, "inline", "inlineVolumeSpec: {accessModes: [ReadWriteOnce]}");
    env_put(env, "{kind: PersistentVolumeClaim, metadata: {name: data}, spec: {volumeName: v}}\n---\n"
                 "{kind: PersistentVolumeClaim, metadata: {name: stays-scratch}, spec: {volumeName: w}}");
    put_volume(env, "of-a-pod-that-stays", "persistentVolumeName: v");
    put_volume(env, "of-its-ephemeral-volume", "persistentVolumeName: w");
    put_pod(env, "stays", "",
            TOLERATES ", volumes: [{name: d, persistentVolumeClaim: {claimName: data}}, {name: scratch, ephemeral: "
                      "{volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce]}}}}]");
    assert_says(env_run(env, "5s"), "terminate");
    env_free(env);
}

TEST(row_volumes_bypass_after_the_deadline) {
    TestEnv *env = ending();

    put_deadline(env, "2026-01-05T00:01:00Z");
    put_volume(env, "va-1", "persistentVolumeName: v");
    assert_does_not_say(env_run(env, "1m"), "terminate");
    assert_says(env_run(env, "1ms"), "terminate"); // without waiting for a poll
    assert_string_equal(env_condition(env, KUBE_NODE_CLAIM, "a", "VolumesDetached"),
                        "False/TerminationGracePeriodElapsed: TerminationGracePeriodElapsed");
    env_free(env);
}

TEST(row_drain_is_never_skipped_after_the_deadline) {
    TestEnv *env = ending();
    const char *history;

    put_deadline(env, "2026-01-05T00:01:00Z");
    put_pod(env, "p", DO_NOT_DISRUPT ", finalizers: [example.com/stuck]", "");
    history = env_run(env, "1m50s");
    assert_says(history, "delete pod/default/p grace=");
    assert_does_not_say(history, "terminate");
    env_remove(env, KUBE_POD, "p");
    assert_says(env_run(env, "0s"), "terminate");
    env_free(env);
}

TEST(row_instance_is_ended_every_five_seconds_until_it_is_gone) {
    TestEnv *env = ending();
    const char *history;

    env_cloud(env)->terminate_takes_ns = 28 * NS_PER_S;
    history = env_run(env, "1m");
    assert_says(history, "+30s terminate kwok://a\n+35s terminate kwok://a\n+35s patch node/n1");
    assert_int_equal(env_cloud(env)->terminations, 7);
    assert_string_equal(env_condition(env, KUBE_NODE_CLAIM, "a", "InstanceTerminating"), "True/InstanceTerminating");
    env_free(env);
}

TEST(row_instance_a_cloud_that_fails_keeps_the_finalizer) {
    TestEnv *env = ending();
    const char *history;

    env_break(env, INTENT_TERMINATE, 3, ERR_DENIED, "not you");
    history = env_run(env, "5s");
    assert_says(history, "log error Reconciler error error=ensuring instance termination, not you");
    assert_true(env_has(env, KUBE_NODE, "n1"));
    env_run(env, "1m");
    assert_false(env_has(env, KUBE_NODE, "n1"));
    env_free(env);
}

TEST(step_6_finalizers_of_others_stay) {
    TestEnv *env = node_env(&node_termination_controller, NULL);

    env_put(env, "{kind: Node, metadata: {name: n1, finalizers: [karpenter.sh/termination, example.com/mine]}}");
    env_delete(env, KUBE_NODE, "n1");
    env_run(env, "1m");
    assert_string_equal(env_part(env, KUBE_NODE, "n1", "metadata.finalizers"), "[\"example.com/mine\"]");
    assert_string_equal(env_run(env, "10m"), "");
    env_free(env);
}

// The State shows the finalizer for a while after it was removed.
TEST(step_6_the_finalizer_is_not_removed_again_at_once) {
    TestEnv *env = node_env(&node_termination_controller, NULL);

    env_put(env, "{kind: Node, metadata: {name: n1, finalizers: [karpenter.sh/termination]}}");
    env_delete(env, KUBE_NODE, "n1");
    for (int s = 0; s < 60 && !strstr(env_reconcile(env, "n1"), "deleteFromPrimitiveList/finalizers"); s++) {
        env_carry_out(env);
        env_pass(env, "1s");
    }
    env_fail(env, 0, OK, "the answer is there, the watch event is not");
    assert_string_equal(env_run(env, "4s"), "");
    assert_says(env_run(env, "2s"), "deleteFromPrimitiveList/finalizers");
    env_free(env);
}

// --- law 5

TEST(killed_after_any_intent_it_ends_all_the_same) {
    for (uint32_t lives = 0; lives < 14; lives++) {
        TestEnv *env = node_env(&node_termination_controller, &eviction_queue_controller);

        put_pod(env, "p", "", "");
        put_pod(env, "q", "", CRITICAL);
        env_delete(env, KUBE_NODE, "n1");
        env_die_after(env, lives);
        for (int second = 0; second < 120; second++) {
            env_run(env, "1s");
            kubelet_works(env);
        }
        assert_false(env_has(env, KUBE_NODE, "n1"));
        assert_int_equal(env_instances_alive(env), 0);
        env_free(env);
    }
}
