// CSI volumes: attached before a pod starts, detached after it is gone, on one node at a time.
#include "sim/workload_bed.h"

// A bound claim with its volume.
static void volume(Bed *bed, const char *claim, const char *driver) {
    cluster_create(bed->world,
                   "{apiVersion: v1, kind: PersistentVolume, metadata: {name: pv-%s}, spec: {capacity: {storage: 1Gi}, "
                   "accessModes: [ReadWriteOnce], claimRef: {namespace: default, name: %s}, csi: {driver: %s, "
                   "volumeHandle: vol-%s}}}",
                   claim, claim, driver, claim);
    cluster_create(bed->world,
                   "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: %s}, spec: {accessModes: "
                   "[ReadWriteOnce], resources: {requests: {storage: 1Gi}}, volumeName: pv-%s}}",
                   claim, claim);
}

static void pod(Bed *bed, const char *name, const char *node, const char *claim) {
    cluster_create(bed->world,
                   "{apiVersion: v1, kind: Pod, metadata: {name: %s}, spec: {nodeName: %s, containers: [{name: c, "
                   "image: i}], volumes: [{name: data, persistentVolumeClaim: {claimName: %s}}]}}",
                   name, node, claim);
}

// "n0:pv-a+" for each attachment, '+' when it is attached, in the order of their nodes' names.
static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static const char *attachments(Bed *bed) {
    KubeList list = bed_list(bed, KUBE_VOLUME_ATTACHMENT, "", "");
    const char **texts = arena_array(&bed->arena, const char *, list.items.count + 1);
    const char *all = "";

    for (uint32_t i = 0; i < list.items.count; i++) {
        const Value *object = &list.items.items[i], *attached = bed_at(object, "status.attached");

        texts[i] = arena_printf(&bed->arena, "%.*s:%.*s%s", SLICE_ARG(kube_text(object, "spec", "nodeName", NULL)),
                                SLICE_ARG(kube_text(object, "spec", "source", "persistentVolumeName", NULL)),
                                attached && attached->boolean ? "+" : "")
                       .ptr;
    }
    qsort(texts, list.items.count, sizeof *texts, by_text);
    for (uint32_t i = 0; i < list.items.count; i++)
        all = arena_printf(&bed->arena, "%s%s%s", all, i ? " " : "", texts[i]).ptr;
    return all;
}

static bool runs(Bed *bed, const char *name) {
    return slice_eq_text(bed_text(bed, KUBE_POD, name, "status.phase"), "Running");
}

// --- tests

TEST(a_pod_starts_when_its_volume_is_attached) {
    Bed *bed = bed_new();

    bed_node(bed, "n0");
    volume(bed, "a", "ebs.csi.aws.com");
    pod(bed, "p", "n0", "a");
    bed_run_s(bed, 2);
    assert_string_equal(attachments(bed), "n0:pv-a");
    bed_run_s(bed, 1);
    assert_string_equal(attachments(bed), "n0:pv-a+");
    assert_false(runs(bed, "p"));
    bed_run_s(bed, 2);
    assert_true(runs(bed, "p"));
    assert_int_equal(sim_kubelets_counts(bed->kubelets).volumes_attached, 1);
    bed_free(bed);
}

TEST(a_volume_is_detached_after_its_last_pod_is_gone) {
    Bed *bed = bed_new();

    bed_node(bed, "n0");
    volume(bed, "a", "ebs.csi.aws.com");
    pod(bed, "p", "n0", "a");
    pod(bed, "q", "n0", "a");
    bed_run_s(bed, 10);
    assert_string_equal(attachments(bed), "n0:pv-a+"); // one for both
    cluster_delete(bed->world, KUBE_POD, "default", "p");
    bed_run_s(bed, 20);
    assert_string_equal(attachments(bed), "n0:pv-a+");
    cluster_delete(bed->world, KUBE_POD, "default", "q");
    bed_run_s(bed, 4);
    assert_string_equal(attachments(bed), "n0:pv-a+");
    bed_run_s(bed, 1);
    assert_string_equal(attachments(bed), "");
    assert_int_equal(sim_kubelets_counts(bed->kubelets).volumes_detached, 1);
    bed_free(bed);
}

TEST(a_pod_elsewhere_waits_until_the_volume_is_let_go) {
    Bed *bed = bed_new();

    bed_nodes(bed, 2);
    volume(bed, "a", "ebs.csi.aws.com");
    pod(bed, "p", "n0", "a");
    bed_run_s(bed, 10);
    pod(bed, "q", "n1", "a");
    bed_run_s(bed, 60);
    assert_false(runs(bed, "q"));
    assert_string_equal(attachments(bed), "n0:pv-a+");
    cluster_delete(bed->world, KUBE_POD, "default", "p");
    bed_run_s(bed, 5); // stopped, detached
    assert_string_equal(attachments(bed), "n1:pv-a");
    bed_run_s(bed, 5);
    assert_true(runs(bed, "q"));
    bed_free(bed);
}

TEST(a_pod_that_comes_back_finds_its_volume_still_there) {
    Bed *bed = bed_new();

    bed_node(bed, "n0");
    volume(bed, "a", "ebs.csi.aws.com");
    pod(bed, "p", "n0", "a");
    bed_run_s(bed, 10);
    cluster_delete(bed->world, KUBE_POD, "default", "p");
    bed_run_s(bed, 2);
    pod(bed, "q", "n0", "a");
    bed_run_s(bed, 2);
    assert_true(runs(bed, "q"));
    bed_run_s(bed, 60);
    assert_string_equal(attachments(bed), "n0:pv-a+");
    assert_int_equal(sim_kubelets_counts(bed->kubelets).volumes_attached, 1);
    bed_free(bed);
}

TEST(a_pod_waits_for_a_claim_that_is_not_bound) {
    Bed *bed = bed_new();

    bed_node(bed, "n0");
    pod(bed, "p", "n0", "a");
    bed_run_s(bed, 60);
    assert_false(runs(bed, "p"));
    volume(bed, "a", "ebs.csi.aws.com");
    bed_run_s(bed, 5);
    assert_true(runs(bed, "p"));
    bed_free(bed);
}

TEST(what_needs_no_attaching_is_left_alone) {
    Bed *bed = bed_new();

    bed_node(bed, "n0");
    volume(bed, "a", "efs.csi.aws.com");
    pod(bed, "p", "n0", "a");
    bed_run_s(bed, 2);
    assert_true(runs(bed, "p"));
    assert_string_equal(attachments(bed), "");
    bed_free(bed);
}

TEST(volumes_of_finished_pods_are_detached) {
    Bed *bed = bed_new();

    bed_node(bed, "n0");
    volume(bed, "a", "ebs.csi.aws.com");
    pod(bed, "p", "n0", "a");
    bed_run_s(bed, 10);
    cluster_patch(bed->world, KUBE_POD, "default", "p", KUBE_STATUS, "{status: {phase: Succeeded}}");
    bed_run_s(bed, 5);
    assert_string_equal(attachments(bed), "");
    bed_free(bed);
}

TEST(volumes_of_a_dead_node_are_detached_by_force_after_six_minutes) {
    Bed *bed = bed_new();

    bed_nodes(bed, 2);
    volume(bed, "a", "ebs.csi.aws.com");
    pod(bed, "p", "n0", "a");
    bed_run_s(bed, 10);
    pod(bed, "q", "n1", "a");
    cluster_delete(bed->world, KUBE_NODE, "", "n0");
    bed_run_s(bed, 60); // the pod garbage collector deletes p
    assert_null(bed_get(bed, KUBE_POD, "p"));
    bed_run_s(bed, 359);
    assert_string_equal(attachments(bed), "n0:pv-a+");
    bed_run_s(bed, 1);
    assert_string_equal(attachments(bed), "n1:pv-a");
    bed_run_s(bed, 5);
    assert_true(runs(bed, "q"));
    bed_free(bed);
}

TEST(a_pod_deleted_while_its_volume_attaches_lets_it_go) {
    Bed *bed = bed_new();

    bed_node(bed, "n0");
    volume(bed, "a", "ebs.csi.aws.com");
    pod(bed, "p", "n0", "a");
    bed_run_s(bed, 1);
    cluster_delete(bed->world, KUBE_POD, "default", "p");
    bed_run_s(bed, 60);
    assert_string_equal(attachments(bed), "");
    assert_null(bed_get(bed, KUBE_POD, "p"));
    bed_free(bed);
}
