// StatefulSets: order, names, volume claims, replacement, updates from the last ordinal down.
#include "sim/workload_bed.h"

#define APP "app=db"

static void stateful_set(Bed *bed, int replicas, const char *more) {
    cluster_create(bed->world,
                   "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}, spec: {replicas: %d, serviceName: "
                   "db, %s selector: {matchLabels: {app: db}}, template: {metadata: {labels: {app: db}}, spec: "
                   "{containers: [{name: c, image: 'db:1', resources: {requests: {cpu: '1'}}}]}}}}",
                   replicas, more);
}

static void change(Bed *bed, const char *spec) {
    cluster_patch(bed->world, KUBE_STATEFUL_SET, "default", "db", KUBE_OBJECT,
                  arena_printf(&bed->arena, "{spec: %s}", spec).ptr);
}

static int64_t status(Bed *bed, const char *member) {
    return bed_int(bed, KUBE_STATEFUL_SET, "db", arena_printf(&bed->arena, "status.%s", member).ptr);
}

static Slice image_of(Bed *bed, const char *pod) {
    return kube_text(&bed_at(bed_get(bed, KUBE_POD, pod), "spec.containers")->list.items[0], "image", NULL);
}

// --- tests

TEST(an_ordered_set_makes_one_pod_after_the_other) {
    Bed *bed = bed_new();

    bed_nodes(bed, 1);
    stateful_set(bed, 3, "");
    world_settle(bed->world);
    assert_string_equal(bed_names(bed, KUBE_POD, APP), "db-0");
    bed_run_s(bed, 3);
    assert_string_equal(bed_names(bed, KUBE_POD, APP), "db-0 db-1");
    bed_run_s(bed, 3);
    assert_string_equal(bed_names(bed, KUBE_POD, APP), "db-0 db-1 db-2");
    bed_run_s(bed, 3);
    assert_int_equal(bed_running(bed, APP), 3);
    bed_free(bed);
}

TEST(an_ordered_set_waits_for_a_pod_that_is_not_ready) {
    Bed *bed = bed_new();

    stateful_set(bed, 3, "");
    bed_run_s(bed, 60);
    assert_string_equal(bed_names(bed, KUBE_POD, APP), "db-0"); // there is no node
    bed_nodes(bed, 1);
    bed_run_s(bed, 20);
    assert_int_equal(bed_running(bed, APP), 3);
    bed_free(bed);
}

TEST(a_parallel_set_makes_all_at_once) {
    Bed *bed = bed_new();

    stateful_set(bed, 4, "podManagementPolicy: Parallel,");
    world_settle(bed->world);
    assert_string_equal(bed_names(bed, KUBE_POD, APP), "db-0 db-1 db-2 db-3");
    change(bed, "{replicas: 1}");
    world_settle(bed->world);
    assert_string_equal(bed_names(bed, KUBE_POD, APP), "db-0");
    bed_free(bed);
}

TEST(an_ordered_set_shrinks_from_the_last_one_by_one) {
    Bed *bed = bed_new();

    bed_nodes(bed, 1);
    stateful_set(bed, 3, "");
    bed_run_s(bed, 20);
    change(bed, "{replicas: 1}");
    world_settle(bed->world);
    assert_true(kube_is_deleting(bed_get(bed, KUBE_POD, "db-2")));
    assert_false(kube_is_deleting(bed_get(bed, KUBE_POD, "db-1")));
    bed_run_s(bed, 1);
    assert_null(bed_get(bed, KUBE_POD, "db-2"));
    assert_true(kube_is_deleting(bed_get(bed, KUBE_POD, "db-1")));
    bed_run_s(bed, 5);
    assert_string_equal(bed_names(bed, KUBE_POD, APP), "db-0");
    bed_free(bed);
}

TEST(a_pod_takes_the_place_of_another_only_when_that_is_gone) {
    Bed *bed = bed_new();
    Slice uid;

    bed_nodes(bed, 1);
    stateful_set(bed, 2, "podManagementPolicy: Parallel,");
    bed_run_s(bed, 10);
    uid = bed_text(bed, KUBE_POD, "db-0", "metadata.uid");
    cluster_delete(bed->world, KUBE_POD, "default", "db-0");
    world_settle(bed->world);
    assert_true(slice_eq(bed_text(bed, KUBE_POD, "db-0", "metadata.uid"), uid));
    bed_run_s(bed, 1); // it stops
    assert_false(slice_eq(bed_text(bed, KUBE_POD, "db-0", "metadata.uid"), uid));
    bed_run_s(bed, 5);
    assert_int_equal(bed_running(bed, APP), 2);
    bed_free(bed);
}

TEST(pods_know_their_names_and_their_place) {
    Bed *bed = bed_new();
    const Value *labels;

    stateful_set(bed, 1, "ordinals: {start: 5},");
    world_settle(bed->world);
    assert_string_equal(bed_names(bed, KUBE_POD, APP), "db-5");
    labels = bed_at(bed_get(bed, KUBE_POD, "db-5"), "metadata.labels");
    assert_text(kube_text(labels, "statefulset.kubernetes.io/pod-name", NULL), "db-5");
    assert_text(kube_text(labels, "apps.kubernetes.io/pod-index", NULL), "5");
    assert_text(bed_text(bed, KUBE_POD, "db-5", "spec.hostname"), "db-5");
    assert_text(bed_text(bed, KUBE_POD, "db-5", "spec.subdomain"), "db");
    bed_free(bed);
}

#define CLAIMS                                                                                                         \
    "volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: "      \
    "{storage: 10Gi}}}}],"

TEST(each_pod_has_its_claim_which_outlives_it) {
    Bed *bed = bed_new();
    const Value *volume;
    Slice uid;

    stateful_set(bed, 2, CLAIMS "podManagementPolicy: Parallel,");
    world_settle(bed->world);
    assert_string_equal(bed_names(bed, KUBE_PERSISTENT_VOLUME_CLAIM, ""), "data-db-0 data-db-1");
    volume = &bed_at(bed_get(bed, KUBE_POD, "db-1"), "spec.volumes")->list.items[0];
    assert_text(kube_text(volume, "name", NULL), "data");
    assert_text(kube_text(volume, "persistentVolumeClaim", "claimName", NULL), "data-db-1");
    uid = bed_text(bed, KUBE_PERSISTENT_VOLUME_CLAIM, "data-db-1", "metadata.uid");
    change(bed, "{replicas: 1}");
    bed_run_s(bed, 10);
    change(bed, "{replicas: 2}");
    bed_run_s(bed, 10);
    assert_true(slice_eq(bed_text(bed, KUBE_PERSISTENT_VOLUME_CLAIM, "data-db-1", "metadata.uid"), uid));
    cluster_delete(bed->world, KUBE_STATEFUL_SET, "default", "db");
    bed_run_s(bed, 10);
    assert_int_equal(bed_count(bed, KUBE_POD, APP), 0);
    assert_string_equal(bed_names(bed, KUBE_PERSISTENT_VOLUME_CLAIM, ""), "data-db-0 data-db-1");
    bed_free(bed);
}

TEST(claims_go_with_the_set_when_it_says_so) {
    Bed *bed = bed_new();

    stateful_set(bed, 2,
                 CLAIMS "podManagementPolicy: Parallel, persistentVolumeClaimRetentionPolicy: {whenDeleted: Delete},");
    world_settle(bed->world);
    assert_int_equal(bed_count(bed, KUBE_PERSISTENT_VOLUME_CLAIM, ""), 2);
    cluster_delete(bed->world, KUBE_STATEFUL_SET, "default", "db");
    bed_run_s(bed, 10);
    assert_int_equal(bed_count(bed, KUBE_PERSISTENT_VOLUME_CLAIM, ""), 0);
    bed_free(bed);
}

TEST(an_update_goes_from_the_last_pod_down_one_at_a_time) {
    Bed *bed = bed_new();

    bed_nodes(bed, 1);
    stateful_set(bed, 3, "");
    bed_run_s(bed, 20);
    assert_true(slice_eq(bed_text(bed, KUBE_STATEFUL_SET, "db", "status.currentRevision"),
                         bed_text(bed, KUBE_STATEFUL_SET, "db", "status.updateRevision")));
    change(bed, "{template: {spec: {containers: [{name: c, image: 'db:2', resources: {requests: {cpu: '1'}}}]}}}");
    bed_run_s(bed, 2);
    assert_text(image_of(bed, "db-2"), "db:2");
    assert_text(image_of(bed, "db-1"), "db:1");
    assert_false(slice_eq(bed_text(bed, KUBE_STATEFUL_SET, "db", "status.currentRevision"),
                          bed_text(bed, KUBE_STATEFUL_SET, "db", "status.updateRevision")));
    bed_run_s(bed, 20);
    assert_text(image_of(bed, "db-0"), "db:2");
    assert_text(image_of(bed, "db-1"), "db:2");
    assert_int_equal(status(bed, "updatedReplicas"), 3);
    assert_true(slice_eq(bed_text(bed, KUBE_STATEFUL_SET, "db", "status.currentRevision"),
                         bed_text(bed, KUBE_STATEFUL_SET, "db", "status.updateRevision")));
    bed_free(bed);
}

TEST(with_on_delete_only_deleted_pods_are_updated) {
    Bed *bed = bed_new();

    bed_nodes(bed, 1);
    stateful_set(bed, 2, "updateStrategy: {type: OnDelete},");
    bed_run_s(bed, 20);
    change(bed, "{template: {spec: {containers: [{name: c, image: 'db:2'}]}}}");
    bed_run_s(bed, 20);
    assert_text(image_of(bed, "db-1"), "db:1");
    cluster_delete(bed->world, KUBE_POD, "default", "db-0");
    bed_run_s(bed, 20);
    assert_text(image_of(bed, "db-0"), "db:2");
    assert_text(image_of(bed, "db-1"), "db:1");
    bed_free(bed);
}

TEST(failed_pods_are_made_anew) {
    Bed *bed = bed_new();

    bed_nodes(bed, 1);
    stateful_set(bed, 2, "");
    bed_run_s(bed, 20);
    cluster_patch(bed->world, KUBE_POD, "default", "db-1", KUBE_STATUS, "{status: {phase: Failed}}");
    bed_run_s(bed, 20);
    assert_text(bed_text(bed, KUBE_POD, "db-1", "status.phase"), "Running");
    bed_free(bed);
}

TEST(the_status_counts_and_names_the_generation_that_was_observed) {
    Bed *bed = bed_new();

    bed_nodes(bed, 1);
    stateful_set(bed, 3, "");
    bed_run_s(bed, 20);
    assert_int_equal(status(bed, "replicas"), 3);
    assert_int_equal(status(bed, "readyReplicas"), 3);
    assert_int_equal(status(bed, "availableReplicas"), 3);
    assert_int_equal(status(bed, "currentReplicas"), 3);
    assert_int_equal(status(bed, "observedGeneration"), 1);
    change(bed, "{replicas: 4}");
    bed_run_s(bed, 20);
    assert_int_equal(status(bed, "readyReplicas"), 4);
    assert_int_equal(status(bed, "observedGeneration"), 2);
    bed_free(bed);
}
