// Pods on a working node: start, end, restart, stop; and pods whose node is gone.
#include "sim/workload_bed.h"

// A pod bound to n0. `spec` and `annotations` are further members.
static void pod(Bed *bed, const char *name, const char *spec, const char *annotations) {
    cluster_create(bed->world,
                   "{apiVersion: v1, kind: Pod, metadata: {name: %s, annotations: {%s}}, spec: {nodeName: n0, %s "
                   "containers: [{name: c, image: i}]}}",
                   name, annotations, spec);
}

static const char *phase(Bed *bed, const char *name) {
    Slice text = bed_text(bed, KUBE_POD, name, "status.phase");

    return text.len ? arena_printf(&bed->arena, "%.*s", SLICE_ARG(text)).ptr : "gone";
}

static int64_t restarts(Bed *bed, const char *name) {
    const Value *statuses = bed_at(bed_get(bed, KUBE_POD, name), "status.containerStatuses");
    int64_t count = 0;

    if (statuses)
        value_to_int64(value_get_text(&statuses->list.items[0], "restartCount"), &count);
    return count;
}

static void remove_pod(Bed *bed, const char *name) {
    cluster_delete(bed->world, KUBE_POD, "default", name);
}

// --- tests

TEST(a_bound_pod_starts_and_is_ready) {
    Bed *bed = bed_new();

    bed_node(bed, "n0");
    pod(bed, "a", "", "");
    bed_run_s(bed, 1);
    assert_string_equal(phase(bed, "a"), "Pending");
    bed_run_s(bed, 1);
    assert_string_equal(phase(bed, "a"), "Running");
    assert_text(bed_condition(bed, KUBE_POD, "a", "Ready"), "True");
    assert_text(bed_condition(bed, KUBE_POD, "a", "ContainersReady"), "True");
    assert_text(bed_condition(bed, KUBE_POD, "a", "Initialized"), "True");
    assert_true(bed_text(bed, KUBE_POD, "a", "status.startTime").len > 0);
    bed_run_s(bed, 86400);
    assert_string_equal(phase(bed, "a"), "Running");
    assert_int_equal(sim_kubelets_counts(bed->kubelets).pods_started, 1);
    bed_free(bed);
}

TEST(annotations_say_how_long_a_pod_takes_to_start) {
    Bed *bed = bed_new();

    bed_node(bed, "n0");
    pod(bed, "a", "", "sim.tenon.sh/start-seconds: '30'");
    pod(bed, "b", "", "sim.tenon.sh/start-seconds: '0.5'");
    bed_run_s(bed, 1);
    assert_string_equal(phase(bed, "b"), "Running");
    bed_run_s(bed, 28);
    assert_string_equal(phase(bed, "a"), "Pending");
    bed_run_s(bed, 1);
    assert_string_equal(phase(bed, "a"), "Running");
    bed_free(bed);
}

TEST(creating_is_reported_when_wanted) {
    Bed *bed = bed_new_with(1, (SimKubeletConfig){.reports_creating = true});

    bed_node(bed, "n0");
    pod(bed, "a", "", "");
    bed_run_s(bed, 1);
    assert_string_equal(phase(bed, "a"), "Pending");
    assert_text(bed_condition_of(bed_get(bed, KUBE_POD, "a"), "Ready", "reason"), "ContainersNotReady");
    assert_true(bed_text(bed, KUBE_POD, "a", "status.startTime").len > 0);
    bed_free(bed);
}

TEST(pods_of_restart_policy_never_end_for_good) {
    Bed *bed = bed_new();

    bed_node(bed, "n0");
    pod(bed, "good", "restartPolicy: Never,", "sim.tenon.sh/run-seconds: '10'");
    pod(bed, "bad", "restartPolicy: Never,", "sim.tenon.sh/run-seconds: '10', sim.tenon.sh/exit-code: '3'");
    pod(bed, "silent", "restartPolicy: Never,", "");
    bed_run_s(bed, 11);
    assert_string_equal(phase(bed, "good"), "Running");
    bed_run_s(bed, 1);
    assert_string_equal(phase(bed, "good"), "Succeeded");
    assert_string_equal(phase(bed, "bad"), "Failed");
    assert_string_equal(phase(bed, "silent"), "Running");
    assert_text(bed_condition(bed, KUBE_POD, "good", "Ready"), "False");
    bed_run_s(bed, 60);
    assert_string_equal(phase(bed, "silent"), "Succeeded");
    assert_int_equal(sim_kubelets_counts(bed->kubelets).pods_ended, 3);
    bed_free(bed);
}

TEST(on_failure_restarts_only_what_fails) {
    Bed *bed = bed_new();

    bed_node(bed, "n0");
    pod(bed, "good", "restartPolicy: OnFailure,", "sim.tenon.sh/run-seconds: '10'");
    pod(bed, "bad", "restartPolicy: OnFailure,", "sim.tenon.sh/run-seconds: '10', sim.tenon.sh/exit-code: '3'");
    bed_run_s(bed, 12);
    assert_string_equal(phase(bed, "good"), "Succeeded");
    assert_string_equal(phase(bed, "bad"), "Running");
    assert_text(bed_condition(bed, KUBE_POD, "bad", "Ready"), "False");
    assert_int_equal(restarts(bed, "bad"), 1);
    bed_run_s(bed, 10); // the first restart waits 10 s
    assert_text(bed_condition(bed, KUBE_POD, "bad", "Ready"), "True");
    bed_free(bed);
}

TEST(restart_policy_always_restarts_later_and_later) {
    static const int64_t waits_s[] = {10, 20, 40, 80, 160, 300, 300};
    Bed *bed = bed_new();

    bed_node(bed, "n0");
    pod(bed, "a", "", "sim.tenon.sh/run-seconds: '5'");
    bed_run_s(bed, 2);
    for (int64_t i = 0; i < 7; i++) {
        bed_run_s(bed, 5);
        assert_int_equal(restarts(bed, "a"), i + 1);
        bed_run_s(bed, waits_s[i] - 1);
        assert_text(bed_condition(bed, KUBE_POD, "a", "Ready"), "False");
        bed_run_s(bed, 1);
        assert_text(bed_condition(bed, KUBE_POD, "a", "Ready"), "True");
        assert_true(
            bed_at(&bed_at(bed_get(bed, KUBE_POD, "a"), "status.containerStatuses")->list.items[0], "ready")->boolean);
    }
    assert_int_equal(sim_kubelets_counts(bed->kubelets).pods_restarted, 7);
    assert_int_equal(sim_kubelets_counts(bed->kubelets).pods_started, 1);
    bed_free(bed);
}

TEST(a_deleted_pod_stops_within_its_grace_period) {
    Bed *bed = bed_new();

    bed_node(bed, "n0");
    pod(bed, "quick", "", "");
    pod(bed, "slow", "terminationGracePeriodSeconds: 60,", "sim.tenon.sh/stop-seconds: '20'");
    pod(bed, "stubborn", "terminationGracePeriodSeconds: 15,", "sim.tenon.sh/stop-seconds: '600'");
    bed_run_s(bed, 5);
    remove_pod(bed, "quick");
    remove_pod(bed, "slow");
    remove_pod(bed, "stubborn");
    world_settle(bed->world);
    assert_true(kube_is_deleting(bed_get(bed, KUBE_POD, "quick")));
    bed_run_s(bed, 1);
    assert_null(bed_get(bed, KUBE_POD, "quick"));
    bed_run_s(bed, 13);
    assert_non_null(bed_get(bed, KUBE_POD, "stubborn"));
    bed_run_s(bed, 1); // killed when its grace is over
    assert_null(bed_get(bed, KUBE_POD, "stubborn"));
    bed_run_s(bed, 4);
    assert_non_null(bed_get(bed, KUBE_POD, "slow"));
    bed_run_s(bed, 1);
    assert_null(bed_get(bed, KUBE_POD, "slow"));
    assert_int_equal(sim_kubelets_counts(bed->kubelets).pods_stopped, 3);
    bed_free(bed);
}

TEST(a_shorter_grace_given_later_counts) {
    Bed *bed = bed_new();

    bed_node(bed, "n0");
    pod(bed, "a", "terminationGracePeriodSeconds: 600,", "sim.tenon.sh/stop-seconds: '500'");
    bed_run_s(bed, 5);
    remove_pod(bed, "a");
    bed_run_s(bed, 10);
    assert_int_equal(kube_remove(world_kube(bed->world), (KubeRef){KUBE_POD, SLICE("default"), SLICE("a")},
                                 &(KubeDeletion){.has_grace = true, .grace_s = 5}, NULL),
                     OK);
    bed_run_s(bed, 6);
    assert_null(bed_get(bed, KUBE_POD, "a"));
    bed_free(bed);
}

TEST(a_pod_that_has_not_started_stops_at_once) {
    Bed *bed = bed_new();

    bed_node(bed, "n0");
    pod(bed, "a", "", "sim.tenon.sh/start-seconds: '100', sim.tenon.sh/stop-seconds: '20'");
    bed_run_s(bed, 5);
    remove_pod(bed, "a");
    world_settle(bed->world);
    assert_null(bed_get(bed, KUBE_POD, "a"));
    bed_free(bed);
}

TEST(a_finished_pod_goes_at_once_when_it_is_deleted) {
    Bed *bed = bed_new();

    bed_node(bed, "n0");
    pod(bed, "a", "restartPolicy: Never,", "sim.tenon.sh/run-seconds: '1'");
    bed_run_s(bed, 5);
    assert_string_equal(phase(bed, "a"), "Succeeded");
    remove_pod(bed, "a");
    world_settle(bed->world);
    assert_null(bed_get(bed, KUBE_POD, "a"));
    bed_free(bed);
}

TEST(a_finalizer_holds_a_stopped_pod) {
    Bed *bed = bed_new();

    bed_node(bed, "n0");
    pod(bed, "a", "", "");
    cluster_patch(bed->world, KUBE_POD, "default", "a", KUBE_OBJECT, "{metadata: {finalizers: [example.com/hold]}}");
    bed_run_s(bed, 5);
    remove_pod(bed, "a");
    bed_run_s(bed, 100);
    assert_non_null(bed_get(bed, KUBE_POD, "a"));
    cluster_patch(bed->world, KUBE_POD, "default", "a", KUBE_OBJECT, "{metadata: {finalizers: null}}");
    bed_run_s(bed, 5);
    assert_null(bed_get(bed, KUBE_POD, "a"));
    bed_free(bed);
}

TEST(pods_of_a_node_applied_by_hand_run_while_it_is_ready) {
    Bed *bed = bed_new();

    cluster_create(bed->world, "{apiVersion: v1, kind: Node, metadata: {name: n0}}");
    pod(bed, "a", "tolerations: [{operator: Exists}],", "");
    bed_run_s(bed, 60);
    assert_string_equal(phase(bed, "a"), "Pending");
    cluster_patch(bed->world, KUBE_NODE, "", "n0", KUBE_STATUS,
                  "{status: {conditions: [{type: Ready, status: 'True', reason: KubeletReady}]}}");
    bed_run_s(bed, 5);
    assert_string_equal(phase(bed, "a"), "Running");
    bed_free(bed);
}

TEST(pods_of_a_node_that_is_gone_fail_and_are_collected_after_a_minute) {
    Bed *bed = bed_new();

    bed_node(bed, "n0");
    pod(bed, "a", "", "");
    bed_run_s(bed, 5);
    cluster_delete(bed->world, KUBE_NODE, "", "n0");
    bed_run_s(bed, 59);
    assert_string_equal(phase(bed, "a"), "Running");
    bed_run_s(bed, 1);
    assert_null(bed_get(bed, KUBE_POD, "a"));
    assert_int_equal(sim_kubelets_counts(bed->kubelets).pods_collected, 1);
    bed_free(bed);
}

TEST(a_pod_bound_to_a_name_that_no_node_has_is_collected_too) {
    Bed *bed = bed_new();

    pod(bed, "a", "", "");
    bed_run_s(bed, 60);
    assert_null(bed_get(bed, KUBE_POD, "a"));
    bed_free(bed);
}

TEST(a_no_execute_taint_drives_pods_away_when_they_do_not_bear_it) {
    Bed *bed = bed_new();

    bed_node(bed, "n0");
    pod(bed, "a", "terminationGracePeriodSeconds: 30,", "sim.tenon.sh/stop-seconds: '10'");
    pod(bed, "b", "tolerations: [{key: k, operator: Exists, effect: NoExecute, tolerationSeconds: 60}],", "");
    pod(bed, "c", "tolerations: [{key: k, operator: Exists}],", "");
    bed_run_s(bed, 5);
    cluster_patch(bed->world, KUBE_NODE, "", "n0", KUBE_OBJECT, "{spec: {taints: [{key: k, effect: NoExecute}]}}");
    world_settle(bed->world);
    assert_true(kube_is_deleting(bed_get(bed, KUBE_POD, "a")));
    assert_text(bed_condition_of(bed_get(bed, KUBE_POD, "a"), "DisruptionTarget", "reason"), "DeletionByTaintManager");
    bed_run_s(bed, 59);
    assert_null(bed_get(bed, KUBE_POD, "a"));
    assert_false(kube_is_deleting(bed_get(bed, KUBE_POD, "b")));
    bed_run_s(bed, 2);
    assert_null(bed_get(bed, KUBE_POD, "b"));
    bed_run_s(bed, 600);
    assert_string_equal(phase(bed, "c"), "Running");
    assert_int_equal(sim_kubelets_counts(bed->kubelets).pods_evicted, 2);
    bed_free(bed);
}

TEST(a_taint_removed_in_time_evicts_no_pod) {
    Bed *bed = bed_new();

    bed_node(bed, "n0");
    pod(bed, "b", "tolerations: [{key: k, operator: Exists, effect: NoExecute, tolerationSeconds: 60}],", "");
    bed_run_s(bed, 5);
    cluster_patch(bed->world, KUBE_NODE, "", "n0", KUBE_OBJECT, "{spec: {taints: [{key: k, effect: NoExecute}]}}");
    bed_run_s(bed, 50);
    cluster_patch(bed->world, KUBE_NODE, "", "n0", KUBE_OBJECT, "{spec: {taints: null}}");
    bed_run_s(bed, 600);
    assert_string_equal(phase(bed, "b"), "Running");
    bed_free(bed);
}
