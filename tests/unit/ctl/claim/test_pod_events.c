// nodeclaim.podevents: status.lastPodEventTime of reference lifecycle.md 2.7.
#include "ctl/claim/pod_events.h"
#include "ctl/support/stage.h"

// The claim "a" with its Node "node-a", on which the pod "old" was running for a minute.
static Stage *pod_events_stage(void) {
    Stage *stage = stage_new(&claim_pod_events_controller, NULL);

    stage_put(stage, "{kind: NodeClaim, metadata: {name: a}, status: {providerID: 'kwok://a'}}\n---\n"
                     "{kind: Node, metadata: {name: node-a}, spec: {providerID: 'kwok://a'}}\n---\n"
                     "{kind: Pod, metadata: {name: old}, spec: {nodeName: node-a}, status: {phase: Running}}");
    stage_run(stage, "1m"); // begins to listen: what is there is no event
    return stage;
}

static const char *stamp(Stage *stage) {
    return stage_part(stage, KUBE_NODE_CLAIM, "a", "status.lastPodEventTime");
}

static void bind(Stage *stage, const char *pod) {
    KubeError error = {0};

    if (kube_bind(stage_kube(stage), (KubeRef){KUBE_POD, SLICE("default"), slice_of(pod)}, (Slice){0}, SLICE("node-a"),
                  &error) != OK)
        fail_msg("bind: %s", error.err.text);
    stage_tell(stage);
}

TEST(a_pod_is_bound) {
    Stage *stage = pod_events_stage();

    stage_put(stage, "{kind: Pod, metadata: {name: web}}");
    assert_string_equal(stage_run(stage, "1m"), "");
    bind(stage, "web");
    assert_string_equal(stage_run(stage, "0s"),
                        "+0s patch nodeclaim/a status {\"status\":{\"lastPodEventTime\":\"2026-01-05T00:02:00Z\"}}\n");
    stage_free(stage);
}

// It was set by a clock that was wrong, and would keep all others away for an hour.
TEST(a_stamp_of_a_time_to_come_does_not_count) {
    Stage *stage = pod_events_stage();

    stage_put(stage, "{kind: NodeClaim, metadata: {name: a}, status: {lastPodEventTime: '2026-01-05T01:00:00Z'}}");
    stage_put(stage, "{kind: Pod, metadata: {name: web}, spec: {nodeName: node-a}}");
    stage_run(stage, "0s");
    assert_string_equal(stamp(stage), "\"2026-01-05T00:01:00Z\"");
    stage_free(stage);
}

TEST(a_pod_comes_bound) {
    Stage *stage = pod_events_stage();

    stage_put(stage, "{kind: Pod, metadata: {name: web}, spec: {nodeName: node-a}}");
    stage_run(stage, "0s");
    assert_string_equal(stamp(stage), "\"2026-01-05T00:01:00Z\"");
    stage_free(stage);
}

TEST(a_pod_goes_terminal) {
    Stage *stage = pod_events_stage();

    stage_put(stage, "{kind: Pod, metadata: {name: old}, status: {phase: Succeeded}}");
    stage_run(stage, "0s");
    assert_string_equal(stamp(stage), "\"2026-01-05T00:01:00Z\"");
    stage_free(stage);
}

TEST(a_pod_starts_terminating) {
    Stage *stage = pod_events_stage();

    stage_delete(stage, KUBE_POD, "old");
    assert_true(stage_has(stage, KUBE_POD, "old"));
    stage_run(stage, "1m");
    assert_string_equal(stamp(stage), "\"2026-01-05T00:01:00Z\"");
    stage_remove(stage, KUBE_POD, "old"); // nothing new
    assert_string_equal(stage_run(stage, "0s"), "");
    stage_free(stage);
}

TEST(a_pod_vanishes) {
    Stage *stage = pod_events_stage();

    stage_remove(stage, KUBE_POD, "old");
    stage_run(stage, "0s");
    assert_string_equal(stamp(stage), "\"2026-01-05T00:01:00Z\"");
    stage_free(stage);
}

TEST(other_changes_of_a_pod_are_no_events) {
    Stage *stage = pod_events_stage();

    stage_put(stage, "{kind: Pod, metadata: {name: old, labels: {app: web}}, status: {conditions: [Ready]}}");
    assert_string_equal(stage_run(stage, "1m"), "");
    stage_free(stage);
}

TEST(pods_of_daemon_sets_do_not_count) {
    Stage *stage = pod_events_stage();

    stage_put(stage, "{kind: Pod, metadata: {name: agent, ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, "
                     "name: agent, uid: agent-uid, controller: true}]}, spec: {nodeName: node-a}}");
    stage_put(stage, "{kind: Pod, metadata: {name: agent}, status: {phase: Failed}}");
    stage_delete(stage, KUBE_POD, "agent");
    assert_string_equal(stage_run(stage, "1m"), "");
    stage_free(stage);
}

TEST(pods_of_other_nodes_do_not_count) {
    Stage *stage = pod_events_stage();

    stage_put(stage, "{kind: Node, metadata: {name: own}}\n---\n"
                     "{kind: Pod, metadata: {name: one}, spec: {nodeName: own}}\n---\n"
                     "{kind: Pod, metadata: {name: two}, spec: {nodeName: nobody}}");
    assert_string_equal(stage_run(stage, "1m"), "");
    stage_free(stage);
}

TEST(at_most_every_10_s) {
    Stage *stage = pod_events_stage();
    uint32_t writes = 0;

    for (int i = 0; i < 30; i++) {
        stage_put(stage, "{kind: Pod, metadata: {name: web-%d}, spec: {nodeName: node-a}}", i);
        writes += stage_times(stage_run(stage, "1s"), "patch");
    }
    assert_int_equal(writes, 3);
    stage_free(stage);
}

// W13: waits of consolidation do not begin anew.
TEST(a_restart_is_no_event) {
    Stage *stage = pod_events_stage();

    stage_restart(stage);
    assert_string_equal(stage_run(stage, "1h"), "");
    stage_put(stage, "{kind: Pod, metadata: {name: web}, spec: {nodeName: node-a}}");
    assert_says(stage_run(stage, "0s"), "patch nodeclaim/a status");
    stage_free(stage);
}

TEST(a_failed_write_is_tried_again) {
    Stage *stage = pod_events_stage();

    stage_break(stage, INTENT_PATCH, 2, ERR_IO, "etcd is away");
    stage_put(stage, "{kind: Pod, metadata: {name: web}, spec: {nodeName: node-a}}");
    stage_run(stage, "5s");
    assert_string_equal(stamp(stage), "\"2026-01-05T00:01:00Z\"");
    stage_free(stage);
}
