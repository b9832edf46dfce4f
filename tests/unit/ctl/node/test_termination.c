// node.termination, a test for each row of reference lifecycle.md 3.1 and 3.2.
#include "base/time.h"
#include "ctl/node_stage.h"

static Stage *ending(void) {
    Stage *stage = node_stage(&node_termination_controller, &eviction_queue_controller);

    stage_delete(stage, KUBE_NODE, "n1");
    return stage;
}

// --- 3.1 entry

TEST(entry_a_node_that_is_not_deleted_is_left_alone) {
    Stage *stage = node_stage(&node_termination_controller, NULL);

    assert_string_equal(stage_run(stage, "1m"), "");
    assert_string_equal(stage_reconcile(stage, "n1"), "");
    stage_free(stage);
}

TEST(entry_an_unmanaged_node_is_left_alone) {
    Stage *stage = node_stage(&node_termination_controller, NULL);

    stage_put(stage, "{kind: Node, metadata: {name: n1, labels: {karpenter.kwok.sh/kwoknodeclass: null}}}");
    stage_delete(stage, KUBE_NODE, "n1");
    assert_string_equal(stage_run(stage, "1m"), "");
    stage_free(stage);
}

TEST(entry_a_node_without_the_finalizer_is_left_alone) {
    Stage *stage = node_stage(&node_termination_controller, NULL);

    stage_put(stage, "{kind: Node, metadata: {name: n1, finalizers: [example.com/mine]}}");
    stage_delete(stage, KUBE_NODE, "n1");
    assert_string_equal(stage_run(stage, "1m"), "");
    stage_free(stage);
}

TEST(entry_without_a_nodeclaim_only_drain_and_volumes) {
    Stage *stage = node_stage(&node_termination_controller, &eviction_queue_controller);
    const char *history;

    stage_remove(stage, KUBE_NODE_CLAIM, "a");
    put_pod(stage, "p", "", "");
    stage_delete(stage, KUBE_NODE, "n1");
    history = stage_run(stage, "1s");
    assert_says(history, "evict pod/default/p");
    assert_does_not_say(history, "nodeclaim");
    stage_remove(stage, KUBE_POD, "p");
    assert_says(stage_run(stage, "0s"), "log info deleted node");
    assert_false(stage_has(stage, KUBE_NODE, "n1"));
    assert_int_equal(stage_cloud(stage)->terminations, 0);
    stage_free(stage);
}

TEST(entry_two_nodeclaims_count_as_none) {
    Stage *stage = node_stage(&node_termination_controller, &eviction_queue_controller);

    stage_put(stage, "{kind: NodeClaim, metadata: {name: b}, status: {providerID: 'kwok://a'}}");
    stage_delete(stage, KUBE_NODE, "n1");
    stage_run(stage, "0s");
    assert_false(stage_has(stage, KUBE_NODE, "n1"));
    assert_string_equal(stage_part(stage, KUBE_NODE_CLAIM, "a", "metadata.deletionTimestamp"), "");
    assert_int_equal(stage_cloud(stage)->terminations, 0);
    stage_free(stage);
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
    Stage *stage = ending();
    const char *uid = stage_part(stage, KUBE_NODE, "n1", "metadata.uid");
    char expected[4096];

    assert_true((size_t)snprintf(expected, sizeof expected, SEQUENCE, uid) < sizeof expected);
    assert_string_equal(stage_run(stage, "30s"), expected);
    assert_false(stage_has(stage, KUBE_NODE, "n1"));
    assert_int_equal(stage_instances_alive(stage), 0);
    stage_free(stage);
}

TEST(step_1_the_nodeclaim_is_deleted_once) {
    Stage *stage = ending();

    assert_says(stage_reconcile(stage, "n1"), "delete nodeclaim/a");
    stage_forget(stage); // the State does not show it yet
    assert_does_not_say(stage_reconcile(stage, "n1"), "delete nodeclaim/a");
    stage_pass(stage, "5s"); // it seems not to have got there
    assert_says(stage_reconcile(stage, "n1"), "delete nodeclaim/a");
    stage_free(stage);
}

TEST(step_1_a_nodeclaim_that_goes_already_is_not_deleted_again) {
    Stage *stage = node_stage(&node_termination_controller, NULL);

    stage_delete(stage, KUBE_NODE_CLAIM, "a");
    stage_delete(stage, KUBE_NODE, "n1");
    assert_does_not_say(stage_run(stage, "10s"), "delete nodeclaim/a");
    stage_free(stage);
}

TEST(step_1_a_nodeclaim_that_cannot_be_deleted_holds_the_node) {
    Stage *stage = node_stage(&node_termination_controller, NULL);
    const char *history;

    stage_put(stage, "{kind: Node, metadata: {name: n1}, status: {conditions: [Ready=Unknown]}}");
    stage_lose_instance(stage, "kwok://a");
    stage_break(stage, INTENT_REMOVE, 3, ERR_DENIED, "not you");
    stage_delete(stage, KUBE_NODE, "n1");
    history = stage_run(stage, "500ms");
    assert_int_equal(stage_times(history, "delete nodeclaim/a"), 3); // it does not wait for the State to show it
    assert_true(stage_has(stage, KUBE_NODE, "n1"));
    stage_run(stage, "5s");
    assert_false(stage_has(stage, KUBE_NODE, "n1"));
    stage_free(stage);
}

static void put_ready(Stage *stage, const char *status) {
    stage_put(stage, "{kind: Node, metadata: {name: n1}, status: {conditions: [Ready=%s]}}", status);
}

TEST(step_2_not_ready_and_instance_gone_ends_at_once) {
    static const char *const conditions[] = {"[Ready=False]", "[Ready=Unknown]", "[]"};

    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++) {
        Stage *stage = node_stage(&node_termination_controller, &eviction_queue_controller);

        stage_put(stage, "{kind: Node, metadata: {name: n1}, status: {conditions: %s}}", conditions[i]);
        put_pod(stage, "p", DO_NOT_DISRUPT, "");
        stage_lose_instance(stage, "kwok://a");
        stage_delete(stage, KUBE_NODE, "n1");
        assert_does_not_say(stage_run(stage, "0s"), "evict");
        assert_false(stage_has(stage, KUBE_NODE, "n1"));
        stage_free(stage);
    }
}

TEST(step_2_not_ready_but_the_instance_is_there_is_drained) {
    Stage *stage = ending();

    put_ready(stage, "Unknown");
    put_pod(stage, "p", "", "");
    assert_says(stage_run(stage, "0s"), "evict pod/default/p");
    assert_int_equal(stage_cloud(stage)->gets, 1);
    stage_run(stage, "10s");
    assert_true(stage_cloud(stage)->gets <= 3); // an answer counts for five seconds
    stage_lose_instance(stage, "kwok://a");
    stage_run(stage, "6s");
    assert_false(stage_has(stage, KUBE_NODE, "n1"));
    stage_free(stage);
}

TEST(step_2_a_ready_node_is_drained_whatever_the_cloud_says) {
    Stage *stage = ending();

    put_pod(stage, "p", "", "");
    stage_lose_instance(stage, "kwok://a");
    assert_says(stage_run(stage, "2s"), "evict pod/default/p");
    assert_true(stage_has(stage, KUBE_NODE, "n1"));
    assert_int_equal(stage_cloud(stage)->gets, 0);
    stage_free(stage);
}

TEST(step_2_a_cloud_that_fails_is_asked_again) {
    Stage *stage = ending();
    const char *history;

    put_ready(stage, "False");
    stage_break(stage, INTENT_GET_INSTANCE, 1, ERR_THROTTLED, "slow down");
    history = stage_run(stage, "1s");
    assert_says(history, "log error Reconciler error error=getting nodeclaim, slow down");
    assert_says(history, "tainted node");
    stage_free(stage);
}

TEST(step_3_the_deadline_is_told_on_the_node) {
    Stage *stage = ending();

    put_deadline(stage, "2026-01-05T01:00:00Z");
    put_pod(stage, "p", DO_NOT_DISRUPT, "");
    assert_says(stage_run(stage, "0s"),
                "event Warning node/n1 TerminationGracePeriodExpiring: All pods will be deleted "
                "by 2026-01-05T01:00:00Z");
    stage_free(stage);
}

TEST(step_3_a_deadline_that_is_no_time_stops_the_drain) {
    Stage *stage = ending();
    const char *history;

    put_deadline(stage, "tomorrow");
    put_pod(stage, "p", "", "");
    history = stage_run(stage, "10s");
    assert_says(history, "log error Reconciler error error=parsing annotation, ");
    assert_does_not_say(history, "evict");
    put_deadline(stage, "2026-01-05T01:00:00Z");
    assert_says(stage_run(stage, "1s"), "evict pod/default/p");
    stage_free(stage);
}

TEST(step_4_taints_of_others_stay_and_the_same_key_is_replaced) {
    Stage *stage = node_stage(&node_termination_controller, NULL);

    stage_put(stage, "{kind: Node, metadata: {name: n1}, spec: {taints: [{key: a, value: b, effect: NoExecute}, {key: "
                     "karpenter.sh/disrupted, effect: NoExecute}]}}");
    stage_delete(stage, KUBE_NODE, "n1");
    stage_run(stage, "0s");
    assert_string_equal(stage_part(stage, KUBE_NODE, "n1", "spec.taints"),
                        "[{\"key\":\"a\",\"value\":\"b\",\"effect\":\"NoExecute\"},"
                        "{\"key\":\"karpenter.sh/disrupted\",\"effect\":\"NoSchedule\"}]");
    assert_string_equal(
        stage_part(stage, KUBE_NODE, "n1", "metadata.labels.'node.kubernetes.io/exclude-from-external-load-balancers'"),
        "\"karpenter\"");
    assert_string_equal(stage_part(stage, KUBE_NODE, "n1", "spec.unschedulable"), "");
    stage_free(stage);
}

TEST(step_4_a_node_that_is_tainted_gets_the_label_only) {
    Stage *stage = node_stage(&node_termination_controller, NULL);
    const char *wishes;

    stage_put(stage, "{kind: Node, metadata: {name: n1}, spec: {taints: [{key: karpenter.sh/disrupted, effect: "
                     "NoSchedule}]}}");
    stage_delete(stage, KUBE_NODE, "n1");
    wishes = stage_reconcile(stage, "n1");
    assert_says(wishes, "patch node/n1 locked {\"metadata\":{\"labels\":");
    assert_does_not_say(wishes, "taints");
    stage_free(stage);
}

TEST(step_4_a_taint_that_came_meanwhile_is_not_lost) {
    Stage *stage = ending();
    const char *taints;

    stage_reconcile(stage, "n1");
    stage_put_unseen(stage, "{kind: Node, metadata: {name: n1}, spec: {taints: [{key: a, effect: NoExecute}]}}");
    stage_carry_out(stage); // refused: the revision is another one
    assert_int_equal(stage_retries(stage, "n1"), 1);
    stage_run(stage, "1s");
    taints = stage_part(stage, KUBE_NODE, "n1", "spec.taints");
    assert_says(taints, "\"key\":\"a\"");
    assert_says(taints, "\"key\":\"karpenter.sh/disrupted\"");
    stage_free(stage);
}

TEST(step_4_nothing_is_evicted_before_the_taint) {
    Stage *stage = ending();
    const char *history;

    put_pod(stage, "p", "", "");
    stage_break(stage, INTENT_PATCH, 3, ERR_TIMEOUT, "late");
    history = stage_run(stage, "200ms");
    assert_says(history, "log error Reconciler error error=late");
    assert_does_not_say(history, "evict");
    assert_says(stage_run(stage, "10s"), "evict pod/default/p");
    stage_free(stage);
}

// --- the table of 3.2

TEST(row_drain) {
    Stage *stage = ending();
    const char *history;

    put_pod(stage, "p", DO_NOT_DISRUPT, "");
    put_pod(stage, "q", DO_NOT_DISRUPT, "");
    history = stage_run(stage, "0s");
    assert_says(history,
                "event Warning node/n1 FailedDraining: Failed to drain node, 2 pods are waiting to be evicted\n");
    assert_string_equal(stage_condition(stage, KUBE_NODE_CLAIM, "a", "Drained"), "Unknown/Draining: Draining");
    assert_string_equal(stage_due(stage, "n1"), "1s");
    stage_run(stage, "10m");
    assert_string_equal(stage_condition(stage, KUBE_NODE_CLAIM, "a", "Drained"), "Unknown/Draining: Draining");
    assert_true(stage_has(stage, KUBE_NODE, "n1")); // without a deadline it waits for ever
    assert_int_equal(stage_cloud(stage)->terminations, 0);
    stage_free(stage);
}

TEST(row_drain_goes_on_as_soon_as_a_pod_is_gone) {
    Stage *stage = ending();

    put_pod(stage, "p", "", "");
    put_pod(stage, "q", "", CRITICAL);
    stage_run(stage, "40s300ms");
    stage_remove(stage, KUBE_POD, "p"); // no poll is due now
    assert_says(stage_run(stage, "0s"), "+0s evict pod/default/q");
    stage_remove(stage, KUBE_POD, "q");
    assert_says(stage_run(stage, "0s"), "+0s terminate kwok://a");
    stage_free(stage);
}

TEST(row_drain_a_pod_that_comes_late_is_drained_too) {
    Stage *stage = ending();

    stage_run(stage, "2s");
    put_pod(stage, "late", "", "");
    assert_says(stage_run(stage, "0s"), "+0s evict pod/default/late");
    stage_free(stage);
}

TEST(row_drain_a_tier_that_was_overtaken_goes_on_afterwards) {
    Stage *stage = ending();

    put_budget(stage, "b", "q", 0);
    put_pod(stage, "q", "", CRITICAL);
    assert_says(stage_run(stage, "20s"), "evict pod/default/q");
    put_pod(stage, "late", "", "");
    assert_does_not_say(stage_run(stage, "5s"), "evict pod/default/q"); // its next try falls into this time
    put_budget(stage, "b", "q", 1);
    stage_remove(stage, KUBE_POD, "late");
    assert_says(stage_run(stage, "0s"), "+0s evict pod/default/q");
    stage_free(stage);
}

TEST(row_drain_stuck_terminating_pods_are_not_waited_for) {
    Stage *stage = ending();

    put_pod(stage, "p", ", finalizers: [example.com/stuck]", "");
    stage_run(stage, "1m30s"); // 30 s of grace and a minute
    assert_int_equal(stage_cloud(stage)->terminations, 0);
    assert_says(stage_run(stage, "1s"), "terminate kwok://a");
    stage_free(stage);
}

TEST(row_minimum_drain_time) {
    Stage *stage = ending();

    assert_does_not_say(stage_run(stage, "4900ms"), "terminate");
    assert_string_equal(stage_condition(stage, KUBE_NODE_CLAIM, "a", "Drained"), "Unknown/Draining: Draining");
    assert_says(stage_run(stage, "100ms"), "terminate");
    assert_string_equal(stage_condition(stage, KUBE_NODE_CLAIM, "a", "Drained"), "True/Drained");
    stage_free(stage);
}

TEST(row_minimum_drain_time_ends_with_a_look_at_the_api_server) {
    Stage *stage = ending();
    const char *history;

    stage_break(stage, INTENT_READ, 1, ERR_IO, "the API server is away");
    history = stage_run(stage, "5s");
    assert_says(history, "read pods spec.nodeName=n1");
    assert_does_not_say(history, "terminate");
    history = stage_run(stage, "1s");
    assert_int_equal(stage_times(history, "read pods spec.nodeName=n1"), 1);
    assert_says(history, "terminate kwok://a");
    stage_free(stage);
}

static void put_volume(Stage *stage, const char *name, const char *volume) {
    stage_put(stage,
              "{kind: VolumeAttachment, metadata: {name: %s}, spec: {attacher: ebs, nodeName: n1, source: {%s}}}", name,
              volume);
}

TEST(row_volumes) {
    Stage *stage = ending();
    const char *history;

    for (char name[] = "va-1"; name[3] <= '7'; name[3]++)
        put_volume(stage, name, "persistentVolumeName: v");
    history = stage_run(stage, "5s");
    assert_says(history, "event Normal node/n1 AwaitingVolumeDetachment: Awaiting deletion of bound volumeattachments "
                         "(va-1, va-2, va-3, va-4, va-5 and 2 other(s))\n");
    assert_string_equal(stage_condition(stage, KUBE_NODE_CLAIM, "a", "VolumesDetached"),
                        "Unknown/AwaitingVolumeDetachment: AwaitingVolumeDetachment");
    assert_string_equal(stage_due(stage, "n1"), "1s");
    assert_does_not_say(stage_run(stage, "10m"), "terminate");
    for (char name[] = "va-1"; name[3] <= '7'; name[3]++)
        stage_remove(stage, KUBE_VOLUME_ATTACHMENT, name);
    assert_says(stage_run(stage, "0s"), "terminate");
    assert_string_equal(stage_condition(stage, KUBE_NODE_CLAIM, "a", "VolumesDetached"), "True/VolumesDetached");
    stage_free(stage);
}

TEST(row_volumes_a_few_are_named_alone) {
    Stage *stage = ending();

    put_volume(stage, "va-1", "persistentVolumeName: v");
    put_volume(stage, "va-2", "persistentVolumeName: w");
    assert_says(stage_run(stage, "5s"), "bound volumeattachments (va-1, va-2)\n");
    stage_free(stage);
}

TEST(row_volumes_exceptions) {
    Stage *stage = ending();

    put_volume(stage, "inline", "inlineVolumeSpec: {accessModes: [ReadWriteOnce]}");
    stage_put(stage, "{kind: PersistentVolumeClaim, metadata: {name: data}, spec: {volumeName: v}}\n---\n"
                     "{kind: PersistentVolumeClaim, metadata: {name: stays-scratch}, spec: {volumeName: w}}");
    put_volume(stage, "of-a-pod-that-stays", "persistentVolumeName: v");
    put_volume(stage, "of-its-ephemeral-volume", "persistentVolumeName: w");
    put_pod(stage, "stays", "",
            TOLERATES ", volumes: [{name: d, persistentVolumeClaim: {claimName: data}}, {name: scratch, ephemeral: "
                      "{volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce]}}}}]");
    assert_says(stage_run(stage, "5s"), "terminate");
    stage_free(stage);
}

TEST(row_volumes_bypass_after_the_deadline) {
    Stage *stage = ending();

    put_deadline(stage, "2026-01-05T00:01:00Z");
    put_volume(stage, "va-1", "persistentVolumeName: v");
    assert_does_not_say(stage_run(stage, "1m"), "terminate");
    assert_says(stage_run(stage, "1ms"), "terminate"); // without waiting for a poll
    assert_string_equal(stage_condition(stage, KUBE_NODE_CLAIM, "a", "VolumesDetached"),
                        "False/TerminationGracePeriodElapsed: TerminationGracePeriodElapsed");
    stage_free(stage);
}

TEST(row_drain_is_never_skipped_after_the_deadline) {
    Stage *stage = ending();
    const char *history;

    put_deadline(stage, "2026-01-05T00:01:00Z");
    put_pod(stage, "p", DO_NOT_DISRUPT ", finalizers: [example.com/stuck]", "");
    history = stage_run(stage, "1m50s");
    assert_says(history, "delete pod/default/p grace=");
    assert_does_not_say(history, "terminate");
    stage_remove(stage, KUBE_POD, "p");
    assert_says(stage_run(stage, "0s"), "terminate");
    stage_free(stage);
}

TEST(row_instance_is_ended_every_five_seconds_until_it_is_gone) {
    Stage *stage = ending();
    const char *history;

    stage_cloud(stage)->terminate_takes_ns = 28 * NS_PER_S;
    history = stage_run(stage, "1m");
    assert_says(history, "+30s terminate kwok://a\n+35s terminate kwok://a\n+35s patch node/n1");
    assert_int_equal(stage_cloud(stage)->terminations, 7);
    assert_string_equal(stage_condition(stage, KUBE_NODE_CLAIM, "a", "InstanceTerminating"),
                        "True/InstanceTerminating");
    stage_free(stage);
}

TEST(row_instance_a_cloud_that_fails_keeps_the_finalizer) {
    Stage *stage = ending();
    const char *history;

    stage_break(stage, INTENT_TERMINATE, 3, ERR_DENIED, "not you");
    history = stage_run(stage, "5s");
    assert_says(history, "log error Reconciler error error=ensuring instance termination, not you");
    assert_true(stage_has(stage, KUBE_NODE, "n1"));
    stage_run(stage, "1m");
    assert_false(stage_has(stage, KUBE_NODE, "n1"));
    stage_free(stage);
}

TEST(step_6_finalizers_of_others_stay) {
    Stage *stage = node_stage(&node_termination_controller, NULL);

    stage_put(stage, "{kind: Node, metadata: {name: n1, finalizers: [karpenter.sh/termination, example.com/mine]}}");
    stage_delete(stage, KUBE_NODE, "n1");
    stage_run(stage, "1m");
    assert_string_equal(stage_part(stage, KUBE_NODE, "n1", "metadata.finalizers"), "[\"example.com/mine\"]");
    assert_string_equal(stage_run(stage, "10m"), "");
    stage_free(stage);
}

// --- law 5

TEST(killed_after_any_intent_it_ends_all_the_same) {
    for (uint32_t lives = 0; lives < 14; lives++) {
        Stage *stage = node_stage(&node_termination_controller, &eviction_queue_controller);

        put_pod(stage, "p", "", "");
        put_pod(stage, "q", "", CRITICAL);
        stage_delete(stage, KUBE_NODE, "n1");
        stage_die_after(stage, lives);
        for (int second = 0; second < 120; second++) {
            stage_run(stage, "1s");
            kubelet_works(stage);
        }
        assert_false(stage_has(stage, KUBE_NODE, "n1"));
        assert_int_equal(stage_instances_alive(stage), 0);
        stage_free(stage);
    }
}
