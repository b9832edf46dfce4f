// ReplicaSets: replacement of lost pods, and which pods are deleted first when there are too many.
#include "sim/workload_bed.h"

static void replica_set(Bed *bed, int replicas) {
    cluster_create(
        bed->world,
        "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web}, spec: {replicas: %d, selector: "
        "{matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, "
        "image: i, resources: {requests: {cpu: '1'}}}]}}}}",
        replicas);
}

static void scale(Bed *bed, int replicas) {
    cluster_patch(bed->world, KUBE_REPLICA_SET, "default", "web", KUBE_OBJECT,
                  arena_printf(&bed->arena, "{spec: {replicas: %d}}", replicas).ptr);
}

static const char *pod_name(Bed *bed, uint32_t index) {
    KubeList pods = bed_list(bed, KUBE_POD, "app=web", "");

    assert_true(index < pods.items.count);
    return arena_printf(&bed->arena, "%.*s", SLICE_ARG(kube_name(&pods.items.items[index]))).ptr;
}

static bool is_there(Bed *bed, const char *pod) {
    const Value *object = bed_get(bed, KUBE_POD, pod);

    return object && !kube_is_deleting(object);
}

// --- tests

TEST(lost_pods_are_replaced) {
    Bed *bed = bed_new();

    bed_nodes(bed, 1);
    replica_set(bed, 3);
    bed_run_s(bed, 10);
    for (int i = 0; i < 2; i++)
        cluster_delete(bed->world, KUBE_POD, "default", pod_name(bed, (uint32_t)i));
    world_settle(bed->world);
    assert_int_equal(bed_count(bed, KUBE_POD, "app=web"), 5); // the new ones are there while the old ones stop
    bed_run_s(bed, 10);
    assert_int_equal(bed_int(bed, KUBE_REPLICA_SET, "web", "status.replicas"), 3);
    assert_int_equal(bed_running(bed, "app=web"), 3);
    assert_int_equal(bed_count(bed, KUBE_POD, "app=web"), 3);
    bed_free(bed);
}

TEST(failed_pods_are_replaced_and_stay) {
    Bed *bed = bed_new();
    const char *failed;

    bed_nodes(bed, 1);
    replica_set(bed, 2);
    bed_run_s(bed, 10);
    failed = pod_name(bed, 0);
    cluster_patch(bed->world, KUBE_POD, "default", failed, KUBE_STATUS, "{status: {phase: Failed}}");
    bed_run_s(bed, 10);
    assert_int_equal(bed_running(bed, "app=web"), 2);
    assert_text(bed_text(bed, KUBE_POD, failed, "status.phase"), "Failed");
    bed_free(bed);
}

TEST(pods_without_a_node_go_first) {
    Bed *bed = bed_new();

    bed_node(bed, "n0");
    replica_set(bed, 80); // 64 fit
    bed_run_s(bed, 10);
    assert_int_equal(bed_running(bed, "app=web"), 64);
    scale(bed, 64);
    bed_run_s(bed, 10);
    assert_int_equal(bed_running(bed, "app=web"), 64);
    assert_int_equal(bed_count(bed, KUBE_POD, "app=web"), 64);
    bed_free(bed);
}

TEST(pods_that_are_not_ready_go_before_ready_ones) {
    Bed *bed = bed_new();
    const char *unready;

    bed_node(bed, "n0");
    replica_set(bed, 3);
    bed_run_s(bed, 10);
    scale(bed, 4);
    world_settle(bed->world);
    bed_run_s(bed, 1); // the fourth is on its node and starts
    unready =
        arena_printf(&bed->arena, "%.*s",
                     SLICE_ARG(kube_name(&bed_list(bed, KUBE_POD, "app=web", "status.phase=Pending").items.items[0])))
            .ptr;
    scale(bed, 3);
    world_settle(bed->world);
    assert_false(is_there(bed, unready));
    assert_int_equal(bed_running(bed, "app=web"), 3);
    bed_free(bed);
}

TEST(a_lower_deletion_cost_goes_first) {
    Bed *bed = bed_new();
    const char *cheap;

    bed_node(bed, "n0");
    replica_set(bed, 3);
    bed_run_s(bed, 10);
    cheap = pod_name(bed, 1);
    cluster_patch(bed->world, KUBE_POD, "default", cheap, KUBE_OBJECT,
                  "{metadata: {annotations: {controller.kubernetes.io/pod-deletion-cost: '-5'}}}");
    world_settle(bed->world);
    scale(bed, 2);
    world_settle(bed->world);
    assert_false(is_there(bed, cheap));
    bed_free(bed);
}

TEST(the_node_with_more_siblings_gives_first) {
    Bed *bed = bed_new();

    bed_node(bed, "n0");
    replica_set(bed, 3);
    bed_run_s(bed, 10);
    cluster_patch(bed->world, KUBE_NODE, "", "n0", KUBE_OBJECT, "{spec: {unschedulable: true}}");
    bed_node(bed, "n1");
    scale(bed, 4);
    bed_run_s(bed, 1000); // all ages are of the same power of two but for the first three
    scale(bed, 2);
    world_settle(bed->world);
    bed_run_s(bed, 60);
    assert_int_equal(bed_list(bed, KUBE_POD, "app=web", "spec.nodeName=n0").items.count, 1);
    assert_int_equal(bed_list(bed, KUBE_POD, "app=web", "spec.nodeName=n1").items.count, 1);
    bed_free(bed);
}

TEST(younger_pods_go_before_older_ones) {
    Bed *bed = bed_new();
    const char *old;

    bed_node(bed, "n0");
    replica_set(bed, 1);
    bed_run_s(bed, 10);
    old = pod_name(bed, 0);
    bed_run_s(bed, 600);
    scale(bed, 2);
    bed_run_s(bed, 10);
    scale(bed, 1);
    bed_run_s(bed, 10);
    assert_true(is_there(bed, old));
    bed_free(bed);
}

TEST(more_than_a_burst_is_made_and_taken) {
    Bed *bed = bed_new();

    replica_set(bed, 1300);
    world_settle(bed->world);
    assert_int_equal(bed_count(bed, KUBE_POD, "app=web"), 1300);
    scale(bed, 10);
    world_settle(bed->world);
    assert_int_equal(bed_count(bed, KUBE_POD, "app=web"), 10);
    assert_int_equal(bed_int(bed, KUBE_REPLICA_SET, "web", "status.observedGeneration"), 1); // one write a second
    bed_run_s(bed, 2);
    assert_int_equal(bed_int(bed, KUBE_REPLICA_SET, "web", "status.observedGeneration"), 2);
    assert_int_equal(bed_int(bed, KUBE_REPLICA_SET, "web", "status.replicas"), 10);
    bed_free(bed);
}

TEST(what_is_refused_is_tried_again) {
    Bed *bed = bed_new();

    cluster_create(bed->world, "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: other}, "
                               "value: 7}");
    cluster_create(bed->world,
                   "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web}, spec: {replicas: 2, selector: "
                   "{matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {priorityClassName: "
                   "high, containers: [{name: c, image: i}]}}}}"); // pods of a class that is not there are refused
    bed_run_s(bed, 20);
    assert_int_equal(bed_count(bed, KUBE_POD, "app=web"), 0);
    cluster_create(bed->world, "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, "
                               "value: 1000}");
    bed_run_s(bed, 40);
    assert_int_equal(bed_count(bed, KUBE_POD, "app=web"), 2);
    bed_free(bed);
}

TEST(after_a_forgotten_history_nothing_is_lost_or_doubled) {
    Bed *bed = bed_new();

    bed_node(bed, "n0");
    replica_set(bed, 3);
    bed_run_s(bed, 10);
    scale(bed, 5);
    cluster_delete(bed->world, KUBE_POD, "default", pod_name(bed, 0));
    api_forget_history(world_api(bed->world));
    api_drop_watches(world_api(bed->world));
    bed_run_s(bed, 20);
    assert_int_equal(bed_running(bed, "app=web"), 5);
    assert_int_equal(bed_count(bed, KUBE_POD, "app=web"), 5);
    cluster_delete(bed->world, KUBE_REPLICA_SET, "default", "web");
    api_forget_history(world_api(bed->world));
    bed_run_s(bed, 20);
    assert_int_equal(bed_count(bed, KUBE_POD, "app=web"), 0);
    bed_free(bed);
}
