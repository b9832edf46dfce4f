// The eviction queue, a test for each row of reference lifecycle.md 3.4.
#include "ctl/node_stage.h"

static const char TAINTED[] =
    "{kind: Node, metadata: {name: n1}, spec: {taints: [{key: karpenter.sh/disrupted, effect: "
    "NoSchedule}]}}";

// The queue alone, with a node whose drain has begun.
static Stage *draining(void) {
    Stage *stage = node_stage(&eviction_queue_controller, NULL);

    stage_put(stage, "%s", TAINTED);
    stage_delete(stage, KUBE_NODE, "n1");
    return stage;
}

// The queue with the drain that feeds it.
static Stage *living(void) {
    Stage *stage = node_stage(&eviction_queue_controller, &node_termination_controller);

    stage_delete(stage, KUBE_NODE, "n1");
    return stage;
}

TEST(row_evict_ok) {
    Stage *stage = draining();

    put_pod(stage, "p", "", "");
    assert_string_equal(stage_reconcile(stage, "default/p"), "evict pod/default/p\n");
    assert_int_equal(stage_intents(stage)->items[0].deletion.uid.len, 36); // and nothing else: its own grace counts
    assert_false(stage_intents(stage)->items[0].deletion.has_grace);
    stage_carry_out(stage);
    assert_says(stage_part(stage, KUBE_POD, "p", "metadata.deletionTimestamp"), "2026-01-05T00:00:30Z");
    assert_string_equal(stage_due(stage, "default/p"), "never");
    stage_free(stage);
}

TEST(row_evict_ok_tells_why) {
    Stage *stage = living();
    const char *history;

    put_pod(stage, "p", "", "");
    history = stage_run(stage, "0s");
    assert_says(history, "event Normal pod/default/p Evicted: Evicted pod: Forceful Termination\n");
    stage_put(stage, "{kind: NodeClaim, metadata: {name: a}, status: {conditions: [DisruptionReason/Underutilized]}}");
    put_pod(stage, "q", "", "");
    history = stage_run(stage, "0s");
    assert_says(history, "event Normal pod/default/q Evicted: Evicted pod: Underutilized\n");
    stage_free(stage);
}

TEST(row_evict_ok_of_a_pod_that_is_gone_at_once) {
    Stage *stage = draining();

    put_pod(stage, "p", "", ", terminationGracePeriodSeconds: 0");
    stage_reconcile(stage, "default/p");
    stage_carry_out(stage);
    assert_false(stage_has(stage, KUBE_POD, "p"));
    assert_string_equal(stage_reconcile(stage, "default/p"), "");
    stage_free(stage);
}

TEST(row_a_name_that_was_taken_over_is_dropped) {
    Stage *stage = draining();

    put_pod(stage, "p", "", "");
    put_node(stage, "other", "b");
    stage_reconcile(stage, "default/p");
    stage_forget(stage);
    stage_remove(stage, KUBE_POD, "p");
    put_pod_on(stage, "other", "p", "", "");
    assert_string_equal(stage_reconcile(stage, "default/p"), "");
    assert_string_equal(stage_due(stage, "default/p"), "never");
    stage_free(stage);
}

TEST(row_a_name_that_was_taken_over_unseen_is_not_evicted) {
    Stage *stage = draining();
    const char *uid;

    put_pod(stage, "p", "", "");
    stage_reconcile(stage, "default/p");
    stage_carry_out(stage);
    put_pod(stage, "q", "", "");
    uid = stage_part(stage, KUBE_POD, "q", "metadata.uid");
    stage_reconcile(stage, "default/q");
    assert_int_equal(kube_remove(stage_kube(stage), (KubeRef){KUBE_POD, SLICE("default"), SLICE("q")},
                                 &(KubeDeletion){.has_grace = true}, NULL),
                     OK);
    stage_put_unseen(stage, "{kind: Pod, metadata: {name: q}, spec: {nodeName: n1}}");
    stage_carry_out(stage); // 409: another uid
    assert_string_not_equal(stage_part(stage, KUBE_POD, "q", "metadata.uid"), uid);
    assert_string_equal(stage_part(stage, KUBE_POD, "q", "metadata.deletionTimestamp"), "");
    assert_string_equal(stage_due(stage, "default/q"), "never");
    stage_free(stage);
}

TEST(row_a_pod_whose_node_stays_is_dropped) {
    Stage *stage = node_stage(&eviction_queue_controller, NULL);

    put_pod(stage, "p", "", "");
    assert_string_equal(stage_reconcile(stage, "default/p"), "");
    stage_delete(stage, KUBE_NODE, "n1");
    assert_string_equal(stage_reconcile(stage, "default/p"), ""); // it has no taint yet
    stage_put(stage, "%s", TAINTED);
    assert_string_equal(stage_reconcile(stage, "default/p"), "evict pod/default/p\n");
    stage_free(stage);
}

TEST(row_force_condition) {
    Stage *stage = draining();
    const char *wishes;

    put_deadline(stage, "2026-01-05T00:10:00Z");
    put_pod(stage, "p", DO_NOT_DISRUPT, ", terminationGracePeriodSeconds: 120");
    stage_pass(stage, "8m"); // exactly its own grace period is left
    assert_does_not_say(stage_reconcile(stage, "default/p"), "delete");
    stage_forget(stage);
    stage_pass(stage, "1s");
    wishes = stage_reconcile(stage, "default/p");
    assert_string_equal(wishes, "delete pod/default/p grace=119s\n"
                                "log debug deleting pod namespace=default name=p "
                                "pod.terminationGracePeriodSeconds=120 delete.gracePeriodSeconds=119 "
                                "nodeclaim.terminationTime=2026-01-05T00:10:00Z\n");
    assert_int_equal(stage_intents(stage)->items[0].deletion.uid.len, 36);
    stage_carry_out(stage);
    assert_says(stage_part(stage, KUBE_POD, "p", "metadata.deletionTimestamp"), "2026-01-05T00:10:00Z");
    assert_string_equal(stage_due(stage, "default/p"), "never");
    stage_free(stage);
}

TEST(row_force_condition_event) {
    Stage *stage = living();

    put_deadline(stage, "2026-01-05T00:01:00Z");
    put_pod(stage, "p", "", ", terminationGracePeriodSeconds: 600");
    assert_says(stage_run(stage, "0s"),
                "event Normal pod/default/p Disrupted: Deleting the pod to accommodate the terminationTime "
                "2026-01-05T00:01:00Z of the node. The pod was granted 60 seconds of grace-period of its 600 "
                "terminationGracePeriodSeconds. This bypasses the PDB of the pod and the do-not-disrupt annotation.\n");
    stage_free(stage);
}

TEST(row_force_condition_grace_is_at_least_a_second) {
    Stage *stage = draining();

    put_deadline(stage, "2026-01-04T00:00:00Z");
    put_pod(stage, "p", "", "");
    assert_says(stage_reconcile(stage, "default/p"), "delete pod/default/p grace=1s");
    stage_free(stage);
}

TEST(row_force_condition_shortens_an_eviction_under_way) {
    Stage *stage = living();
    const char *history;

    put_pod(stage, "p", "", ", terminationGracePeriodSeconds: 3600");
    stage_run(stage, "10s");
    assert_says(stage_part(stage, KUBE_POD, "p", "metadata.deletionTimestamp"), "T01:00:00Z");
    put_deadline(stage, "2026-01-05T00:10:00Z");
    assert_says(stage_run(stage, "0s"), "delete pod/default/p grace=590s");
    assert_says(stage_part(stage, KUBE_POD, "p", "metadata.deletionTimestamp"), "T00:09:50Z");
    history = stage_run(stage, "9m30s");
    assert_does_not_say(history, "delete pod"); // what was granted is not taken back
    stage_free(stage);
}

TEST(row_force_condition_is_not_asked_again_and_again) {
    Stage *stage = living();

    put_deadline(stage, "2026-01-05T00:00:00Z");
    put_pod(stage, "p", ", finalizers: [example.com/stuck]", "");
    assert_says(stage_run(stage, "5s"), "delete pod/default/p grace=1s");
    assert_does_not_say(stage_run(stage, "30s"), "delete pod");
    stage_free(stage);
}

TEST(row_force_condition_bypasses_a_budget_at_the_moment_it_must) {
    Stage *stage = living();

    put_deadline(stage, "2026-01-05T00:10:00Z");
    put_budget(stage, "b", "p", 0);
    put_pod(stage, "p", "", "");
    assert_does_not_say(stage_run(stage, "9m30s"), "delete pod");
    assert_says(stage_run(stage, "1ms"), "delete pod/default/p grace=29s");
    stage_free(stage);
}

TEST(row_the_deadline_may_tighten_but_never_loosen) {
    Stage *stage = draining();

    put_pod(stage, "p", DO_NOT_DISRUPT, "");
    put_deadline(stage, "2026-01-05T00:10:00Z");
    stage_reconcile(stage, "default/p");
    stage_forget(stage);
    put_deadline(stage, "2026-01-05T00:05:00Z");
    stage_reconcile(stage, "default/p");
    stage_forget(stage);
    put_deadline(stage, "2026-01-05T10:00:00Z");
    stage_pass(stage, "4m31s");
    assert_says(stage_reconcile(stage, "default/p"), "delete pod/default/p grace=29s");
    stage_free(stage);
}

TEST(row_pod_not_active) {
    Stage *stage = draining();

    put_pod(stage, "p", "", "");
    stage_delete(stage, KUBE_POD, "p");
    assert_string_equal(stage_reconcile(stage, "default/p"), "");
    stage_put(stage, "{kind: Pod, metadata: {name: q}, spec: {nodeName: n1}, status: {phase: Succeeded}}");
    assert_string_equal(stage_reconcile(stage, "default/q"), "");
    assert_string_equal(stage_due(stage, "default/q"), "never");
    stage_free(stage);
}

TEST(row_not_evictable) {
    static const char *const delays[] = {"100ms", "200ms", "400ms", "800ms", "1.6s",
                                         "3.2s",  "6.4s",  "10s",   "10s",   "10s"};
    Stage *stage = draining();

    put_pod(stage, "p", DO_NOT_DISRUPT, "");
    for (size_t i = 0; i < sizeof delays / sizeof *delays; i++) {
        assert_string_equal(stage_reconcile(stage, "default/p"), "");
        assert_string_equal(stage_due(stage, "default/p"), delays[i]);
        stage_pass(stage, delays[i]);
    }
    stage_put(stage, "{kind: Pod, metadata: {name: p, annotations: {karpenter.sh/do-not-disrupt: null}}}");
    assert_string_equal(stage_due(stage, "default/p"), "0s"); // no need to wait for the backoff
    assert_string_equal(stage_reconcile(stage, "default/p"), "evict pod/default/p\n");
    stage_free(stage);
}

TEST(row_not_evictable_a_duration_ends_on_time) {
    Stage *stage = living();
    const char *history;

    put_pod(stage, "p", ", annotations: {karpenter.sh/do-not-disrupt: 1m3s}", "");
    history = stage_run(stage, "1m2s");
    assert_does_not_say(history, "evict pod");
    assert_says(history, "event Normal pod/default/p DoNotDisruptUntil: The karpenter.sh/do-not-disrupt grace period "
                         "will elapse at 2026-01-05T00:01:03Z\n");
    history = stage_run(stage, "1s");
    assert_says(history, "event Normal pod/default/p DoNotDisruptGracePeriodElapsed: The karpenter.sh/do-not-disrupt "
                         "grace period has elapsed, pod is now disruptable\n");
    assert_says(history, "+1s evict pod/default/p\n");
    stage_free(stage);
}

TEST(row_not_evictable_an_annotation_that_cannot_be_read_is_told) {
    Stage *stage = draining();
    const char *wishes;

    put_pod(stage, "p", ", annotations: {karpenter.sh/do-not-disrupt: 'false'}", "");
    wishes = stage_reconcile(stage, "default/p");
    assert_says(wishes, "event Warning pod/default/p InvalidDoNotDisruptAnnotation: Invalid "
                        "karpenter.sh/do-not-disrupt annotation: \"false\" is no duration");
    assert_says(wishes, ", ignoring annotation\n");
    assert_says(wishes, "evict pod/default/p\n");
    stage_free(stage);
}

TEST(row_evict_404) {
    Stage *stage = draining();

    put_pod(stage, "p", "", "");
    stage_reconcile(stage, "default/p");
    stage_fail(stage, 0, ERR_NOT_FOUND, "gone");
    assert_string_equal(stage_due(stage, "default/p"), "never");
    stage_free(stage);
}

TEST(row_evict_409) {
    Stage *stage = draining();

    put_pod(stage, "p", "", "");
    stage_reconcile(stage, "default/p");
    stage_fail(stage, 0, ERR_CONFLICT, "another one");
    assert_string_equal(stage_due(stage, "default/p"), "never");
    stage_free(stage);
}

TEST(row_evict_429) {
    Stage *stage = living();
    const char *history;

    put_budget(stage, "b", "p", 0);
    put_pod(stage, "p", "", "");
    history = stage_run(stage, "0s");
    assert_says(history, "event Warning node/n1 FailedDraining: Failed to drain node, evicting pod violates a PDB "
                         "(Pod=default/p)\n");
    assert_string_equal(stage_due(stage, "default/p"), "100ms");
    history = stage_run(stage, "13s");
    assert_says(history, "+12.7s evict pod/default/p\n"); // 0.1 + 0.2 + … + 6.4, though the drain asks each second
    assert_does_not_say(history, "+1s evict");
    stage_free(stage);
}

TEST(row_evict_429_room_in_the_budget_wakes_as_many_as_it_has_room_for) {
    Stage *stage = living();
    const char *history;

    put_budget(stage, "b", "p", 0);
    for (char name[] = "p1"; name[1] <= '4'; name[1]++) {
        put_pod(stage, name, "", "");
        stage_put(stage, "{kind: Pod, metadata: {name: %s, labels: {app: p}}}", name);
    }
    stage_run(stage, "30s");
    put_budget(stage, "b", "p", 2);
    history = stage_run(stage, "0s");
    assert_says(history, "+0s evict pod/default/p1\n");
    assert_says(history, "+0s evict pod/default/p2\n");
    assert_does_not_say(history, "evict pod/default/p3");
    assert_does_not_say(history, "evict pod/default/p4");
    stage_free(stage);
}

// Pods p1 … of a budget "b" without room, refused in that order and waiting for their backoff.
static Stage *standing_in_line(uint32_t pods) {
    Stage *stage = living();

    put_budget(stage, "b", "p", 0);
    for (uint32_t i = 1; i <= pods; i++) {
        char name[8];

        snprintf(name, sizeof name, "p%u", i);
        put_pod(stage, name, "", "");
        stage_put(stage, "{kind: Pod, metadata: {name: %s, labels: {app: p}}}", name);
    }
    stage_run(stage, "30s");
    return stage;
}

TEST(row_evict_429_who_was_refused_first_goes_first) {
    Stage *stage = standing_in_line(4);
    const char *history;

    stage_remove(stage, KUBE_POD, "p2"); // from the middle of the line
    put_budget(stage, "b", "p", 1);
    history = stage_run(stage, "0s");
    assert_int_equal(stage_times(history, "+0s evict"), 1);
    assert_says(history, "+0s evict pod/default/p1\n");
    put_budget(stage, "b", "p", 2);
    history = stage_run(stage, "0s");
    assert_int_equal(stage_times(history, "+0s evict"), 2);
    assert_says(history, "+0s evict pod/default/p3\n");
    assert_says(history, "+0s evict pod/default/p4\n");
    put_budget(stage, "b", "p", 3);
    assert_does_not_say(stage_run(stage, "1m"), "evict pod");
    stage_free(stage);
}

TEST(row_evict_429_a_budget_that_is_gone_wakes_all) {
    Stage *stage = standing_in_line(3);

    stage_remove(stage, KUBE_POD_DISRUPTION_BUDGET, "b");
    assert_int_equal(stage_times(stage_run(stage, "0s"), "Evicted pod:"), 3);
    stage_free(stage);
}

TEST(row_evict_429_a_budget_that_was_changed_wakes_all) {
    Stage *stage = standing_in_line(3);

    stage_put(stage, "{kind: PodDisruptionBudget, metadata: {name: b}, spec: {selector: {matchLabels: {app: other}}}}");
    assert_int_equal(stage_times(stage_run(stage, "0s"), "Evicted pod:"), 3);
    stage_free(stage);
}

TEST(row_evict_429_the_server_says_how_long) {
    Stage *stage = draining();

    put_budget(stage, "b", "p", 1);
    put_pod(stage, "p", "", "");
    // A generation that its controller has not seen.
    stage_put(stage, "{kind: PodDisruptionBudget, metadata: {name: b}, spec: {minAvailable: 2}}");
    stage_reconcile(stage, "default/p");
    stage_carry_out(stage);
    assert_string_equal(stage_due(stage, "default/p"), "10s");
    stage_free(stage);
}

TEST(row_evict_429_a_pod_leaves_the_line_by_force) {
    Stage *stage = standing_in_line(2);
    const char *history;

    stage_put(stage, "{kind: Pod, metadata: {name: p1, annotations: {karpenter.sh/do-not-disrupt: 'true'}}}");
    stage_run(stage, "20s");
    put_budget(stage, "b", "p", 1); // p1 is held now: it takes no room
    history = stage_run(stage, "0s");
    assert_does_not_say(history, "evict pod/default/p1");
    assert_says(history, "+0s evict pod/default/p2\n");
    put_deadline(stage, "2026-01-05T00:01:10Z");
    assert_says(stage_run(stage, "1s"), "delete pod/default/p1 grace=");
    stage_free(stage);
}

TEST(row_evict_429_a_pod_that_is_not_ready_any_more_tries_at_once) {
    Stage *stage = standing_in_line(1);

    stage_put(stage, "{kind: PodDisruptionBudget, metadata: {name: b}, spec: {unhealthyPodEvictionPolicy: AlwaysAllow},"
                     " status: {observedGeneration: 2}}");
    stage_run(stage, "30s100ms");
    stage_put(stage, "{kind: Pod, metadata: {name: p1}, status: {conditions: [Ready=False]}}");
    assert_says(stage_run(stage, "0s"), "Evicted pod:");
    stage_free(stage);
}

TEST(row_evict_more_than_one_budget) {
    Stage *stage = living();
    const char *history;

    put_budget(stage, "b", "p", 1);
    put_budget(stage, "c", "p", 1);
    put_pod(stage, "p", "", "");
    history = stage_run(stage, "0s");
    assert_says(history,
                "event Warning node/n1 FailedDraining: Failed to drain node, eviction does not support multiple "
                "PDBs (Pod=default/p)\n");
    assert_string_equal(stage_due(stage, "default/p"), "100ms");
    stage_remove(stage, KUBE_POD_DISRUPTION_BUDGET, "c");
    assert_says(stage_run(stage, "0s"), "Evicted pod:"); // at once
    stage_free(stage);
}

TEST(row_other_error) {
    Stage *stage = draining();

    put_pod(stage, "p", "", "");
    stage_reconcile(stage, "default/p");
    stage_fail(stage, 0, ERR_IO, "broken pipe");
    assert_string_equal(stage_due(stage, "default/p"), "100ms");
    stage_pass(stage, "100ms");
    assert_says(stage_reconcile(stage, "default/p"), "evict pod/default/p");
    stage_fail(stage, 0, ERR_TIMEOUT, "late");
    assert_string_equal(stage_due(stage, "default/p"), "200ms");
    stage_free(stage);
}

TEST(row_other_error_waits_as_long_when_a_clock_is_set_back) {
    Stage *stage = draining();

    put_pod(stage, "p", "", "");
    stage_reconcile(stage, "default/p");
    stage_fail(stage, 0, ERR_IO, "broken pipe");
    stage_set_clock(stage, "-1h");
    stage_pass(stage, "100ms");
    assert_says(stage_reconcile(stage, "default/p"), "evict pod/default/p");
    stage_free(stage);
}

TEST(restart_goes_on_where_it_was) {
    Stage *stage = living();

    put_budget(stage, "b", "p", 0);
    put_pod(stage, "p", "", "");
    put_pod(stage, "q", "", "");
    stage_run(stage, "30s");
    stage_restart(stage);
    assert_says(stage_run(stage, "0s"), "evict pod/default/p\n");
    stage_free(stage);
}
