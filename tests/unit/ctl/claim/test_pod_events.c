// nodeclaim.podevents: status.lastPodEventTime of reference lifecycle.md 2.7.
#include "ctl/claim/pod_events.h"
#include "ctl/support/env.h"

// The claim "a" with its Node "node-a", on which the pod "old" was running for a minute.
static TestEnv *pod_events_env(void) {
    TestEnv *env = env_new(&claim_pod_events_controller, NULL);

    env_put(env, "{kind: NodeClaim, metadata: {name: a}, status: {providerID: 'kwok://a'}}\n---\n"
                 "{kind: Node, metadata: {name: node-a}, spec: {providerID: 'kwok://a'}}\n---\n"
                 "{kind: Pod, metadata: {name: old}, spec: {nodeName: node-a}, status: {phase: Running}}");
    env_run(env, "1m"); // starts to observe: existing pods are no events
    return env;
}

static const char *stamp(TestEnv *env) {
    return env_part(env, KUBE_NODE_CLAIM, "a", "status.lastPodEventTime");
}

static void bind(TestEnv *env, const char *pod) {
    KubeError error = {0};

    if (kube_bind(env_kube(env), (KubeRef){KUBE_POD, SLICE("default"), slice_of(pod)}, (Slice){0}, SLICE("node-a"),
                  &error) != OK)
        fail_msg("bind: %s", error.err.text);
    env_tell(env);
}

TEST(a_pod_is_bound) {
    TestEnv *env = pod_events_env();

    env_put(env, "{kind: Pod, metadata: {name: web}}");
    assert_string_equal(env_run(env, "1m"), "");
    bind(env, "web");
    assert_string_equal(env_run(env, "0s"),
                        "+0s patch nodeclaim/a status {\"status\":{\"lastPodEventTime\":\"2026-01-05T00:02:00Z\"}}\n");
    env_free(env);
}

// A time in the future, set by a wrong clock, would suppress later events for an hour.
TEST(a_stamp_of_a_time_to_come_does_not_count) {
    TestEnv *env = pod_events_env();

    env_put(env, "{kind: NodeClaim, metadata: {name: a}, status: {lastPodEventTime: '2026-01-05T01:00:00Z'}}");
    env_put(env, "{kind: Pod, metadata: {name: web}, spec: {nodeName: node-a}}");
    env_run(env, "0s");
    assert_string_equal(stamp(env), "\"2026-01-05T00:01:00Z\"");
    env_free(env);
}

TEST(a_pod_comes_bound) {
    TestEnv *env = pod_events_env();

    env_put(env, "{kind: Pod, metadata: {name: web}, spec: {nodeName: node-a}}");
    env_run(env, "0s");
    assert_string_equal(stamp(env), "\"2026-01-05T00:01:00Z\"");
    env_free(env);
}

TEST(a_pod_goes_terminal) {
    TestEnv *env = pod_events_env();

    env_put(env, "{kind: Pod, metadata: {name: old}, status: {phase: Succeeded}}");
    env_run(env, "0s");
    assert_string_equal(stamp(env), "\"2026-01-05T00:01:00Z\"");
    env_free(env);
}

TEST(a_pod_starts_terminating) {
    TestEnv *env = pod_events_env();

    env_delete(env, KUBE_POD, "old");
    assert_true(env_has(env, KUBE_POD, "old"));
    env_run(env, "1m");
    assert_string_equal(stamp(env), "\"2026-01-05T00:01:00Z\"");
    env_remove(env, KUBE_POD, "old"); // nothing new
    assert_string_equal(env_run(env, "0s"), "");
    env_free(env);
}

TEST(a_pod_vanishes) {
    TestEnv *env = pod_events_env();

    env_remove(env, KUBE_POD, "old");
    env_run(env, "0s");
    assert_string_equal(stamp(env), "\"2026-01-05T00:01:00Z\"");
    env_free(env);
}

TEST(other_changes_of_a_pod_are_no_events) {
    TestEnv *env = pod_events_env();

    env_put(env, "{kind: Pod, metadata: {name: old, labels: {app: web}}, status: {conditions: [Ready]}}");
    assert_string_equal(env_run(env, "1m"), "");
    env_free(env);
}

TEST(pods_of_daemon_sets_do_not_count) {
    TestEnv *env = pod_events_env();

    env_put(env, "{kind: Pod, metadata: {name: agent, ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, "
                 "name: agent, uid: agent-uid, controller: true}]}, spec: {nodeName: node-a}}");
    env_put(env, "{kind: Pod, metadata: {name: agent}, status: {phase: Failed}}");
    env_delete(env, KUBE_POD, "agent");
    assert_string_equal(env_run(env, "1m"), "");
    env_free(env);
}

TEST(pods_of_other_nodes_do_not_count) {
    TestEnv *env = pod_events_env();

    env_put(env, "{kind: Node, metadata: {name: own}}\n---\n"
                 "{kind: Pod, metadata: {name: one}, spec: {nodeName: own}}\n---\n"
                 "{kind: Pod, metadata: {name: two}, spec: {nodeName: nobody}}");
    assert_string_equal(env_run(env, "1m"), "");
    env_free(env);
}

TEST(at_most_every_10_s) {
    TestEnv *env = pod_events_env();
    uint32_t writes = 0;

    for (int i = 0; i < 30; i++) {
        env_put(env, "{kind: Pod, metadata: {name: web-%d}, spec: {nodeName: node-a}}", i);
        writes += env_times(env_run(env, "1s"), "patch");
    }
    assert_int_equal(writes, 3);
    env_free(env);
}

// One write says both: a second one, made of the claim as it was, would meet the first.
TEST(an_event_ends_consolidatable_in_the_same_write) {
    TestEnv *env = pod_events_env();

    env_put(env, "{kind: NodePool, metadata: {name: p}, spec: {disruption: {consolidateAfter: 30s}}}\n---\n"
                 "{kind: NodeClaim, metadata: {name: a, labels: {karpenter.sh/nodepool: p}}, status: {conditions: "
                 "[Launched, Registered, Initialized, Consolidatable, Drifted]}}");
    env_put(env, "{kind: Pod, metadata: {name: web}, spec: {nodeName: node-a}}");
    assert_int_equal(env_times(env_run(env, "1m"), "patch"), 1);
    assert_string_equal(stamp(env), "\"2026-01-05T00:01:00Z\"");
    assert_string_equal(env_condition(env, KUBE_NODE_CLAIM, "a", "Consolidatable"), "");
    assert_string_not_equal(env_condition(env, KUBE_NODE_CLAIM, "a", "Drifted"), "");
    env_free(env);
}

TEST(consolidatable_stays_where_nothing_is_waited_for) {
    TestEnv *env = pod_events_env();

    env_put(env, "{kind: NodePool, metadata: {name: p}, spec: {disruption: {consolidateAfter: 0s}}}\n---\n"
                 "{kind: NodeClaim, metadata: {name: a, labels: {karpenter.sh/nodepool: p}}, status: {conditions: "
                 "[Launched, Registered, Initialized, Consolidatable]}}");
    env_put(env, "{kind: Pod, metadata: {name: web}, spec: {nodeName: node-a}}");
    env_run(env, "1m");
    assert_string_equal(stamp(env), "\"2026-01-05T00:01:00Z\"");
    assert_string_not_equal(env_condition(env, KUBE_NODE_CLAIM, "a", "Consolidatable"), "");
    env_free(env);
}

TEST(a_claim_that_is_deleted_waits_for_nothing) {
    TestEnv *env = pod_events_env();

    env_put(env, "{kind: NodeClaim, metadata: {name: a, finalizers: [karpenter.sh/termination]}}");
    env_delete(env, KUBE_NODE_CLAIM, "a");
    env_put(env, "{kind: Pod, metadata: {name: old}, status: {phase: Succeeded}}");
    assert_string_equal(env_run(env, "1m"), "");
    env_free(env);
}

// W13: the waits of consolidation do not start again.
TEST(a_restart_is_no_event) {
    TestEnv *env = pod_events_env();

    env_restart(env);
    assert_string_equal(env_run(env, "1h"), "");
    env_put(env, "{kind: Pod, metadata: {name: web}, spec: {nodeName: node-a}}");
    assert_says(env_run(env, "0s"), "patch nodeclaim/a status");
    env_free(env);
}

TEST(a_failed_write_is_tried_again) {
    TestEnv *env = pod_events_env();

    env_break(env, INTENT_PATCH, 2, ERR_IO, "etcd is away");
    env_put(env, "{kind: Pod, metadata: {name: web}, spec: {nodeName: node-a}}");
    env_run(env, "5s");
    assert_string_equal(stamp(env), "\"2026-01-05T00:01:00Z\"");
    env_free(env);
}
