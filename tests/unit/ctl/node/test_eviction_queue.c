// The eviction queue, a test for each row of reference lifecycle.md 3.4.
#include "ctl/node_env.h"

static const char TAINTED[] =
    "{kind: Node, metadata: {name: n1}, spec: {taints: [{key: karpenter.sh/disrupted, effect: "
    "NoSchedule}]}}";

// The queue alone, with a node whose drain has begun.
static TestEnv *draining(void) {
    TestEnv *env = node_env(&eviction_queue_controller, NULL);

    env_put(env, "%s", TAINTED);
    env_delete(env, KUBE_NODE, "n1");
    return env;
}

// The queue with the drain that feeds it.
static TestEnv *living(void) {
    TestEnv *env = node_env(&eviction_queue_controller, &node_termination_controller);

    env_delete(env, KUBE_NODE, "n1");
    return env;
}

TEST(row_evict_ok) {
    TestEnv *env = draining();

    put_pod(env, "p", "", "");
    assert_string_equal(env_reconcile(env, "default/p"), "evict pod/default/p\n");
    assert_int_equal(env_intents(env)->items[0].deletion.uid.len,
                     36); // without gracePeriodSeconds: the pod's own counts
    assert_false(env_intents(env)->items[0].deletion.has_grace);
    env_carry_out(env);
    assert_says(env_part(env, KUBE_POD, "p", "metadata.deletionTimestamp"), "2026-01-05T00:00:30Z");
    assert_string_equal(env_due(env, "default/p"), "never");
    env_free(env);
}

TEST(row_evict_ok_tells_why) {
    TestEnv *env = living();
    const char *history;

    put_pod(env, "p", "", "");
    history = env_run(env, "0s");
    assert_says(history, "event Normal pod/default/p Evicted: Evicted pod: Forceful Termination\n");
    env_put(env, "{kind: NodeClaim, metadata: {name: a}, status: {conditions: [DisruptionReason/Underutilized]}}");
    put_pod(env, "q", "", "");
    history = env_run(env, "0s");
    assert_says(history, "event Normal pod/default/q Evicted: Evicted pod: Underutilized\n");
    env_free(env);
}

TEST(row_evict_ok_of_a_pod_that_is_gone_at_once) {
    TestEnv *env = draining();

    put_pod(env, "p", "", ", terminationGracePeriodSeconds: 0");
    env_reconcile(env, "default/p");
    env_carry_out(env);
    assert_false(env_has(env, KUBE_POD, "p"));
    assert_string_equal(env_reconcile(env, "default/p"), "");
    env_free(env);
}

TEST(row_a_name_that_was_taken_over_is_dropped) {
    TestEnv *env = draining();

    put_pod(env, "p", "", "");
    put_node(env, "other", "b");
    env_reconcile(env, "default/p");
    env_forget(env);
    env_remove(env, KUBE_POD, "p");
    put_pod_on(env, "other", "p", "", "");
    assert_string_equal(env_reconcile(env, "default/p"), "");
    assert_string_equal(env_due(env, "default/p"), "never");
    env_free(env);
}

TEST(row_a_name_that_was_taken_over_unseen_is_not_evicted) {
    TestEnv *env = draining();
    const char *uid;

    put_pod(env, "p", "", "");
    env_reconcile(env, "default/p");
    env_carry_out(env);
    put_pod(env, "q", "", "");
    uid = env_part(env, KUBE_POD, "q", "metadata.uid");
    env_reconcile(env, "default/q");
    assert_int_equal(kube_remove(env_kube(env), (KubeRef){KUBE_POD, SLICE("default"), SLICE("q")},
                                 &(KubeDeletion){.has_grace = true}, NULL),
                     OK);
    env_put_unseen(env, "{kind: Pod, metadata: {name: q}, spec: {nodeName: n1}}");
    env_carry_out(env); // 409: another uid
    assert_string_not_equal(env_part(env, KUBE_POD, "q", "metadata.uid"), uid);
    assert_string_equal(env_part(env, KUBE_POD, "q", "metadata.deletionTimestamp"), "");
    assert_string_equal(env_due(env, "default/q"), "never");
    env_free(env);
}

TEST(row_a_pod_whose_node_stays_is_dropped) {
    TestEnv *env = node_env(&eviction_queue_controller, NULL);

    put_pod(env, "p", "", "");
    assert_string_equal(env_reconcile(env, "default/p"), "");
    env_delete(env, KUBE_NODE, "n1");
    assert_string_equal(env_reconcile(env, "default/p"), ""); // it has no taint yet
    env_put(env, "%s", TAINTED);
    assert_string_equal(env_reconcile(env, "default/p"), "evict pod/default/p\n");
    env_free(env);
}

TEST(row_force_condition) {
    TestEnv *env = draining();
    const char *wishes;

    put_deadline(env, "2026-01-05T00:10:00Z");
    put_pod(env, "p", DO_NOT_DISRUPT, ", terminationGracePeriodSeconds: 120");
    env_pass(env, "8m"); // exactly its own grace period is left
    assert_does_not_say(env_reconcile(env, "default/p"), "delete");
    env_forget(env);
    env_pass(env, "1s");
    wishes = env_reconcile(env, "default/p");
    assert_string_equal(wishes, "delete pod/default/p grace=119s\n"
                                "log debug deleting pod namespace=default name=p "
                                "pod.terminationGracePeriodSeconds=120 delete.gracePeriodSeconds=119 "
                                "nodeclaim.terminationTime=2026-01-05T00:10:00Z\n");
    assert_int_equal(env_intents(env)->items[0].deletion.uid.len, 36);
    env_carry_out(env);
    assert_says(env_part(env, KUBE_POD, "p", "metadata.deletionTimestamp"), "2026-01-05T00:10:00Z");
    assert_string_equal(env_due(env, "default/p"), "never");
    env_free(env);
}

TEST(row_force_condition_event) {
    TestEnv *env = living();

    put_deadline(env, "2026-01-05T00:01:00Z");
    put_pod(env, "p", "", ", terminationGracePeriodSeconds: 600");
    assert_says(env_run(env, "0s"),
                "event Normal pod/default/p Disrupted: Deleting the pod to accommodate the terminationTime "
                "2026-01-05T00:01:00Z of the node. The pod was granted 60 seconds of grace-period of its 600 "
                "terminationGracePeriodSeconds. This bypasses the PDB of the pod and the do-not-disrupt annotation.\n");
    env_free(env);
}

TEST(row_force_condition_grace_is_at_least_a_second) {
    TestEnv *env = draining();

    put_deadline(env, "2026-01-04T00:00:00Z");
    put_pod(env, "p", "", "");
    assert_says(env_reconcile(env, "default/p"), "delete pod/default/p grace=1s");
    env_free(env);
}

TEST(row_force_condition_shortens_an_eviction_under_way) {
    TestEnv *env = living();
    const char *history;

    put_pod(env, "p", "", ", terminationGracePeriodSeconds: 3600");
    env_run(env, "10s");
    assert_says(env_part(env, KUBE_POD, "p", "metadata.deletionTimestamp"), "T01:00:00Z");
    put_deadline(env, "2026-01-05T00:10:00Z");
    assert_says(env_run(env, "0s"), "delete pod/default/p grace=590s");
    assert_says(env_part(env, KUBE_POD, "p", "metadata.deletionTimestamp"), "T00:09:50Z");
    history = env_run(env, "9m30s");
    assert_does_not_say(history, "delete pod"); // an eviction that was granted is not followed by a deletion
    env_free(env);
}

TEST(row_force_condition_is_not_asked_again_and_again) {
    TestEnv *env = living();

    put_deadline(env, "2026-01-05T00:00:00Z");
    put_pod(env, "p", ", finalizers: [example.com/stuck]", "");
    assert_says(env_run(env, "5s"), "delete pod/default/p grace=1s");
    assert_does_not_say(env_run(env, "30s"), "delete pod");
    env_free(env);
}

TEST(row_force_condition_bypasses_a_budget_at_the_moment_it_must) {
    TestEnv *env = living();

    put_deadline(env, "2026-01-05T00:10:00Z");
    put_budget(env, "b", "p", 0);
    put_pod(env, "p", "", "");
    assert_does_not_say(env_run(env, "9m30s"), "delete pod");
    assert_says(env_run(env, "1ms"), "delete pod/default/p grace=29s");
    env_free(env);
}

TEST(row_the_deadline_may_tighten_but_never_loosen) {
    TestEnv *env = draining();

    put_pod(env, "p", DO_NOT_DISRUPT, "");
    put_deadline(env, "2026-01-05T00:10:00Z");
    env_reconcile(env, "default/p");
    env_forget(env);
    put_deadline(env, "2026-01-05T00:05:00Z");
    env_reconcile(env, "default/p");
    env_forget(env);
    put_deadline(env, "2026-01-05T10:00:00Z");
    env_pass(env, "4m31s");
    assert_says(env_reconcile(env, "default/p"), "delete pod/default/p grace=29s");
    env_free(env);
}

TEST(row_pod_not_active) {
    TestEnv *env = draining();

    put_pod(env, "p", "", "");
    env_delete(env, KUBE_POD, "p");
    assert_string_equal(env_reconcile(env, "default/p"), "");
    env_put(env, "{kind: Pod, metadata: {name: q}, spec: {nodeName: n1}, status: {phase: Succeeded}}");
    assert_string_equal(env_reconcile(env, "default/q"), "");
    assert_string_equal(env_due(env, "default/q"), "never");
    env_free(env);
}

TEST(row_not_evictable) {
    static const char *const delays[] = {"100ms", "200ms", "400ms", "800ms", "1.6s",
                                         "3.2s",  "6.4s",  "10s",   "10s",   "10s"};
    TestEnv *env = draining();

    put_pod(env, "p", DO_NOT_DISRUPT, "");
    for (size_t i = 0; i < sizeof delays / sizeof *delays; i++) {
        assert_string_equal(env_reconcile(env, "default/p"), "");
        assert_string_equal(env_due(env, "default/p"), delays[i]);
        env_pass(env, delays[i]);
    }
    env_put(env, "{kind: Pod, metadata: {name: p, annotations: {karpenter.sh/do-not-disrupt: null}}}");
    assert_string_equal(env_due(env, "default/p"), "0s"); // no need to wait for the backoff
    assert_string_equal(env_reconcile(env, "default/p"), "evict pod/default/p\n");
    env_free(env);
}

TEST(row_not_evictable_a_duration_ends_on_time) {
    TestEnv *env = living();
    const char *history;

    put_pod(env, "p", ", annotations: {karpenter.sh/do-not-disrupt: 1m3s}", "");
    history = env_run(env, "1m2s");
    assert_does_not_say(history, "evict pod");
    assert_says(history, "event Normal pod/default/p DoNotDisruptUntil: The karpenter.sh/do-not-disrupt grace period "
                         "will elapse at 2026-01-05T00:01:03Z\n");
    history = env_run(env, "1s");
    assert_says(history, "event Normal pod/default/p DoNotDisruptGracePeriodElapsed: The karpenter.sh/do-not-disrupt "
                         "grace period has elapsed, pod is now disruptable\n");
    assert_says(history, "+1s evict pod/default/p\n");
    env_free(env);
}

TEST(row_not_evictable_an_annotation_that_cannot_be_read_is_told) {
    TestEnv *env = draining();
    const char *wishes;

    put_pod(env, "p", ", annotations: {karpenter.sh/do-not-disrupt: 'false'}", "");
    wishes = env_reconcile(env, "default/p");
    assert_says(wishes, "event Warning pod/default/p InvalidDoNotDisruptAnnotation: Invalid "
                        "karpenter.sh/do-not-disrupt annotation: \"false\" is no duration");
    assert_says(wishes, ", ignoring annotation\n");
    assert_says(wishes, "evict pod/default/p\n");
    env_free(env);
}

TEST(row_evict_404) {
    TestEnv *env = draining();

    put_pod(env, "p", "", "");
    env_reconcile(env, "default/p");
    env_fail(env, 0, ERR_NOT_FOUND, "gone");
    assert_string_equal(env_due(env, "default/p"), "never");
    env_free(env);
}

TEST(row_evict_409) {
    TestEnv *env = draining();

    put_pod(env, "p", "", "");
    env_reconcile(env, "default/p");
    env_fail(env, 0, ERR_CONFLICT, "another one");
    assert_string_equal(env_due(env, "default/p"), "never");
    env_free(env);
}

TEST(row_evict_429) {
    TestEnv *env = living();
    const char *history;

    put_budget(env, "b", "p", 0);
    put_pod(env, "p", "", "");
    history = env_run(env, "0s");
    assert_says(history, "event Warning node/n1 FailedDraining: Failed to drain node, evicting pod violates a PDB "
                         "(Pod=default/p)\n");
    assert_string_equal(env_due(env, "default/p"), "100ms");
    history = env_run(env, "13s");
    assert_says(history, "+12.7s evict pod/default/p\n"); // 0.1 + 0.2 + … + 6.4, though the drain asks each second
    assert_does_not_say(history, "+1s evict");
    env_free(env);
}

TEST(row_evict_429_room_in_the_budget_wakes_as_many_as_it_has_room_for) {
    TestEnv *env = living();
    const char *history;

    put_budget(env, "b", "p", 0);
    for (char name[] = "p1"; name[1] <= '4'; name[1]++) {
        put_pod(env, name, "", "");
        env_put(env, "{kind: Pod, metadata: {name: %s, labels: {app: p}}}", name);
    }
    env_run(env, "30s");
    put_budget(env, "b", "p", 2);
    history = env_run(env, "0s");
    assert_says(history, "+0s evict pod/default/p1\n");
    assert_says(history, "+0s evict pod/default/p2\n");
    assert_does_not_say(history, "evict pod/default/p3");
    assert_does_not_say(history, "evict pod/default/p4");
    env_free(env);
}

// Pods p1 … of a budget "b" without room, refused in that order and waiting for their backoff.
static TestEnv *begin_refused_pods(uint32_t pods) {
    TestEnv *env = living();

    put_budget(env, "b", "p", 0);
    for (uint32_t i = 1; i <= pods; i++) {
        char name[8];

        snprintf(name, sizeof name, "p%u", i);
        put_pod(env, name, "", "");
        env_put(env, "{kind: Pod, metadata: {name: %s, labels: {app: p}}}", name);
    }
    env_run(env, "30s");
    return env;
}

TEST(row_evict_429_the_pod_refused_first_is_tried_first) {
    TestEnv *env = begin_refused_pods(4);
    const char *history;

    env_remove(env, KUBE_POD, "p2"); // from the middle of the queue
    put_budget(env, "b", "p", 1);
    history = env_run(env, "0s");
    assert_int_equal(env_times(history, "+0s evict"), 1);
    assert_says(history, "+0s evict pod/default/p1\n");
    put_budget(env, "b", "p", 2);
    history = env_run(env, "0s");
    assert_int_equal(env_times(history, "+0s evict"), 2);
    assert_says(history, "+0s evict pod/default/p3\n");
    assert_says(history, "+0s evict pod/default/p4\n");
    put_budget(env, "b", "p", 3);
    assert_does_not_say(env_run(env, "1m"), "evict pod");
    env_free(env);
}

TEST(row_evict_429_a_budget_that_is_gone_wakes_all) {
    TestEnv *env = begin_refused_pods(3);

    env_remove(env, KUBE_POD_DISRUPTION_BUDGET, "b");
    assert_int_equal(env_times(env_run(env, "0s"), "Evicted pod:"), 3);
    env_free(env);
}

TEST(row_evict_429_a_budget_that_was_changed_wakes_all) {
    TestEnv *env = begin_refused_pods(3);

    env_put(env, "{kind: PodDisruptionBudget, metadata: {name: b}, spec: {selector: {matchLabels: {app: other}}}}");
    assert_int_equal(env_times(env_run(env, "0s"), "Evicted pod:"), 3);
    env_free(env);
}

TEST(row_evict_429_the_server_says_how_long) {
    TestEnv *env = draining();

    put_budget(env, "b", "p", 1);
    put_pod(env, "p", "", "");
    // A generation that its controller has not seen.
    env_put(env, "{kind: PodDisruptionBudget, metadata: {name: b}, spec: {minAvailable: 2}}");
    env_reconcile(env, "default/p");
    env_carry_out(env);
    assert_string_equal(env_due(env, "default/p"), "10s");
    env_free(env);
}

TEST(row_evict_429_a_pod_leaves_the_line_by_force) {
    TestEnv *env = begin_refused_pods(2);
    const char *history;

    env_put(env, "{kind: Pod, metadata: {name: p1, annotations: {karpenter.sh/do-not-disrupt: 'true'}}}");
    env_run(env, "20s");
    put_budget(env, "b", "p", 1); // p1 is protected now and uses no disruption
    history = env_run(env, "0s");
    assert_does_not_say(history, "evict pod/default/p1");
    assert_says(history, "+0s evict pod/default/p2\n");
    put_deadline(env, "2026-01-05T00:01:10Z");
    assert_says(env_run(env, "1s"), "delete pod/default/p1 grace=");
    env_free(env);
}

TEST(row_evict_429_a_pod_that_is_not_ready_any_more_tries_at_once) {
    TestEnv *env = begin_refused_pods(1);

    env_put(env, "{kind: PodDisruptionBudget, metadata: {name: b}, spec: {unhealthyPodEvictionPolicy: AlwaysAllow},"
                 " status: {observedGeneration: 2}}");
    env_run(env, "30s100ms");
    env_put(env, "{kind: Pod, metadata: {name: p1}, status: {conditions: [Ready=False]}}");
    assert_says(env_run(env, "0s"), "Evicted pod:");
    env_free(env);
}

TEST(row_evict_more_than_one_budget) {
    TestEnv *env = living();
    const char *history;

    put_budget(env, "b", "p", 1);
    put_budget(env, "c", "p", 1);
    put_pod(env, "p", "", "");
    history = env_run(env, "0s");
    assert_says(history,
                "event Warning node/n1 FailedDraining: Failed to drain node, eviction does not support multiple "
                "PDBs (Pod=default/p)\n");
    assert_string_equal(env_due(env, "default/p"), "100ms");
    env_remove(env, KUBE_POD_DISRUPTION_BUDGET, "c");
    assert_says(env_run(env, "0s"), "Evicted pod:"); // at once
    env_free(env);
}

TEST(row_other_error) {
    TestEnv *env = draining();

    put_pod(env, "p", "", "");
    env_reconcile(env, "default/p");
    env_fail(env, 0, ERR_IO, "broken pipe");
    assert_string_equal(env_due(env, "default/p"), "100ms");
    env_pass(env, "100ms");
    assert_says(env_reconcile(env, "default/p"), "evict pod/default/p");
    env_fail(env, 0, ERR_TIMEOUT, "late");
    assert_string_equal(env_due(env, "default/p"), "200ms");
    env_free(env);
}

TEST(row_other_error_waits_as_long_when_a_clock_is_set_back) {
    TestEnv *env = draining();

    put_pod(env, "p", "", "");
    env_reconcile(env, "default/p");
    env_fail(env, 0, ERR_IO, "broken pipe");
    env_set_clock(env, "-1h");
    env_pass(env, "100ms");
    assert_says(env_reconcile(env, "default/p"), "evict pod/default/p");
    env_free(env);
}

TEST(restart_goes_on_where_it_was) {
    TestEnv *env = living();

    put_budget(env, "b", "p", 0);
    put_pod(env, "p", "", "");
    put_pod(env, "q", "", "");
    env_run(env, "30s");
    env_restart(env);
    assert_says(env_run(env, "0s"), "evict pod/default/p\n");
    env_free(env);
}
