// Kubelets that die and come back: the Node is Unknown after 40 s, and its pods are evicted when their tolerations end.
#include "sim/workload_bed.h"

static SimInstance run_one(Bed *bed) {
    SimInstance instance = bed_instance(bed, NULL);
    Symbol resources[] = {bed_symbol(bed, "cpu"), bed_symbol(bed, "memory"), bed_symbol(bed, "pods")};
    int64_t amounts[] = {64000, INT64_C(256) << 30, 110};

    for (int i = 0; i < 3; i++) {
        resources_set(&bed->arena, &instance.capacity, resources[i], amounts[i]);
        resources_set(&bed->arena, &instance.allocatable, resources[i], amounts[i]);
    }
    bed_change(bed, &instance, SIM_INSTANCE_RUNNING);
    bed_run_s(bed, 20);
    assert_text(bed_condition(bed, KUBE_NODE, arena_printf(&bed->arena, "m-%u", instance.number).ptr, "Ready"), "True");
    return instance;
}

static void deploy(Bed *bed, int replicas) {
    cluster_create(
        bed->world,
        "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: %d, selector: "
        "{matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, "
        "image: i, resources: {requests: {cpu: 100m}}}]}}}}",
        replicas);
    bed_run_s(bed, 10);
    assert_int_equal(bed_running(bed, "app=web"), replicas);
}

static uint32_t deleting_on(Bed *bed, const char *node) {
    KubeList pods = bed_list(bed, KUBE_POD, "", arena_printf(&bed->arena, "spec.nodeName=%s", node).ptr);
    uint32_t count = 0;

    for (uint32_t i = 0; i < pods.items.count; i++)
        count += kube_is_deleting(&pods.items.items[i]);
    return count;
}

static uint32_t ready_pods(Bed *bed) {
    return (uint32_t)bed_int(bed, KUBE_DEPLOYMENT, "web", "status.readyReplicas");
}

// --- tests

TEST(a_node_whose_kubelet_is_silent_for_40_s_is_unknown_and_unreachable) {
    Bed *bed = bed_new();

    run_one(bed);
    deploy(bed, 3);
    assert_true(sim_kubelet_stop(bed->kubelets, SLICE("m-0")));
    bed_run_s(bed, 39);
    assert_text(bed_condition(bed, KUBE_NODE, "m-0", "Ready"), "True");
    bed_run_s(bed, 1);
    assert_text(bed_condition(bed, KUBE_NODE, "m-0", "Ready"), "Unknown");
    assert_text(bed_condition_of(bed_get(bed, KUBE_NODE, "m-0"), "Ready", "reason"), "NodeStatusUnknown");
    assert_true(bed_has_taint(bed, "m-0", "node.kubernetes.io/unreachable=:NoSchedule"));
    assert_true(bed_has_taint(bed, "m-0", "node.kubernetes.io/unreachable=:NoExecute"));
    bed_run_s(bed, 2);
    assert_int_equal(ready_pods(bed), 0);
    assert_int_equal(bed_running(bed, "app=web"), 3); // their phase stays Running
    bed_free(bed);
}

TEST(pods_of_a_silent_node_are_evicted_after_300_s_and_hang_until_it_is_gone) {
    Bed *bed = bed_new();
    SimInstance instance = run_one(bed);

    deploy(bed, 3);
    run_one(bed);
    assert_true(sim_kubelet_stop(bed->kubelets, SLICE("m-0")));
    bed_run_s(bed, 40 + 299);
    assert_int_equal(deleting_on(bed, "m-0"), 0);
    bed_run_s(bed, 1);
    assert_int_equal(deleting_on(bed, "m-0"), 3);
    bed_run_s(bed, 10);
    assert_int_equal(ready_pods(bed), 3); // on the other node
    bed_run_s(bed, 600);
    assert_int_equal(deleting_on(bed, "m-0"), 3);
    bed_change(bed, &instance, SIM_INSTANCE_TERMINATED);
    bed_run_s(bed, 70); // the Node is deleted, then the pod garbage collector deletes them
    assert_null(bed_get(bed, KUBE_NODE, "m-0"));
    assert_int_equal(bed_count(bed, KUBE_POD, "app=web"), 3);
    bed_free(bed);
}

TEST(a_kubelet_that_comes_back_in_time_loses_nothing) {
    Bed *bed = bed_new();

    run_one(bed);
    deploy(bed, 3);
    assert_true(sim_kubelet_stop(bed->kubelets, SLICE("m-0")));
    bed_run_s(bed, 120);
    assert_int_equal(ready_pods(bed), 0);
    assert_true(sim_kubelet_start(bed->kubelets, SLICE("m-0")));
    bed_run_s(bed, 5);
    assert_text(bed_condition(bed, KUBE_NODE, "m-0", "Ready"), "True");
    assert_false(bed_has_taint(bed, "m-0", "node.kubernetes.io/unreachable=:NoExecute"));
    assert_int_equal(ready_pods(bed), 3);
    bed_run_s(bed, 600);
    assert_int_equal(sim_kubelets_counts(bed->kubelets).pods_evicted, 0);
    bed_free(bed);
}

TEST(a_short_silence_is_not_noticed) {
    Bed *bed = bed_new();
    KubeRevision revision;

    run_one(bed);
    revision = kube_revision(bed_get(bed, KUBE_NODE, "m-0"));
    for (int i = 0; i < 5; i++) {
        assert_true(sim_kubelet_stop(bed->kubelets, SLICE("m-0")));
        bed_run_s(bed, 30);
        assert_true(sim_kubelet_start(bed->kubelets, SLICE("m-0")));
        bed_run_s(bed, 5);
    }
    assert_int_equal(kube_revision(bed_get(bed, KUBE_NODE, "m-0")), revision);
    bed_free(bed);
}

TEST(a_kubelet_does_what_it_missed) {
    Bed *bed = bed_new();

    run_one(bed);
    cluster_create(bed->world,
                   "{apiVersion: v1, kind: Pod, metadata: {name: ends, annotations: {sim.tenon.sh/run-seconds: '30'}}, "
                   "spec: {restartPolicy: Never, nodeName: m-0, containers: [{name: c, image: i}]}}");
    cluster_create(bed->world, "{apiVersion: v1, kind: Pod, metadata: {name: goes}, spec: {nodeName: m-0, containers: "
                               "[{name: c, image: i}]}}");
    bed_run_s(bed, 5);
    cluster_create(bed->world,
                   "{apiVersion: v1, kind: Pod, metadata: {name: starts}, spec: {nodeName: m-0, containers: "
                   "[{name: c, image: i}]}}");
    bed_run_s(bed, 1);
    assert_true(sim_kubelet_stop(bed->kubelets, SLICE("m-0")));
    cluster_create(bed->world, "{apiVersion: v1, kind: Pod, metadata: {name: comes}, spec: {nodeName: m-0, containers: "
                               "[{name: c, image: i}]}}");
    cluster_delete(bed->world, KUBE_POD, "default", "goes");
    bed_run_s(bed, 100);
    assert_text(bed_text(bed, KUBE_POD, "ends", "status.phase"), "Running");
    assert_text(bed_text(bed, KUBE_POD, "starts", "status.phase"), "Pending");
    assert_text(bed_text(bed, KUBE_POD, "comes", "status.phase"), "Pending");
    assert_non_null(bed_get(bed, KUBE_POD, "goes"));
    assert_true(sim_kubelet_start(bed->kubelets, SLICE("m-0")));
    bed_run_s(bed, 5);
    assert_text(bed_text(bed, KUBE_POD, "ends", "status.phase"), "Succeeded");
    assert_text(bed_text(bed, KUBE_POD, "starts", "status.phase"), "Running");
    assert_text(bed_text(bed, KUBE_POD, "comes", "status.phase"), "Running");
    assert_null(bed_get(bed, KUBE_POD, "goes"));
    bed_free(bed);
}

TEST(broken_hardware_is_silent_too) {
    Bed *bed = bed_new();
    SimInstance instance = run_one(bed);

    instance.is_impaired = true;
    bed_change(bed, &instance, SIM_INSTANCE_RUNNING);
    bed_run_s(bed, 40);
    assert_text(bed_condition(bed, KUBE_NODE, "m-0", "Ready"), "Unknown");
    bed_run_s(bed, 600);
    assert_non_null(bed_get(bed, KUBE_NODE, "m-0")); // EC2 says that it runs
    bed_free(bed);
}

TEST(a_stopped_kubelet_must_have_an_instance) {
    Bed *bed = bed_new();

    bed_node(bed, "n0");
    world_settle(bed->world);
    assert_false(sim_kubelet_stop(bed->kubelets, SLICE("n0")));
    assert_false(sim_kubelet_stop(bed->kubelets, SLICE("nobody")));
    bed_free(bed);
}

TEST(a_boot_that_was_interrupted_goes_on) {
    Bed *bed = bed_new();
    SimInstance instance = bed_instance(bed, NULL);

    resources_set(&bed->arena, &instance.capacity, bed_symbol(bed, "nvidia.com/gpu"), 1);
    resources_set(&bed->arena, &instance.allocatable, bed_symbol(bed, "nvidia.com/gpu"), 1);
    bed_change(bed, &instance, SIM_INSTANCE_RUNNING);
    bed_run_s(bed, 12); // joined, not ready
    assert_true(sim_kubelet_stop(bed->kubelets, SLICE("m-0")));
    bed_run_s(bed, 60);
    assert_text(bed_condition(bed, KUBE_NODE, "m-0", "Ready"), "Unknown");
    assert_true(sim_kubelet_start(bed->kubelets, SLICE("m-0")));
    bed_run_s(bed, 6); // ready, no devices, no CSI driver
    assert_text(bed_condition(bed, KUBE_NODE, "m-0", "Ready"), "True");
    assert_true(sim_kubelet_stop(bed->kubelets, SLICE("m-0")));
    bed_run_s(bed, 60);
    assert_null(bed_get(bed, KUBE_CSI_NODE, "m-0"));
    assert_true(sim_kubelet_start(bed->kubelets, SLICE("m-0")));
    bed_run_s(bed, 30);
    assert_non_null(bed_get(bed, KUBE_CSI_NODE, "m-0"));
    assert_text(value_at(bed_get(bed, KUBE_NODE, "m-0"), "status", "allocatable", "nvidia.com/gpu", NULL)->text, "1");
    bed_free(bed);
}
