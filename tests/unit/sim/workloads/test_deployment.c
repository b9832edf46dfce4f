// Deployments: ReplicaSets, scaling, rolling updates within maxSurge and maxUnavailable, Recreate, history, status.
#include "sim/workload_bed.h"

#define APP "app=web"

// `more`: further members of the spec, with a comma at the end. The template's version is an environment variable.
static void deploy(Bed *bed, int replicas, const char *more) {
    cluster_create(
        bed->world,
        "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: %d, %s selector: "
        "{matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, "
        "image: 'web:1', resources: {requests: {cpu: 100m}}}]}}}}",
        replicas, more);
}

static void change(Bed *bed, const char *spec) {
    Slice patch = arena_printf(&bed->arena, "{spec: %s}", spec);

    cluster_patch(bed->world, KUBE_DEPLOYMENT, "default", "web", KUBE_OBJECT, patch.ptr);
}

static void change_image(Bed *bed, const char *image) {
    Slice spec = arena_printf(
        &bed->arena, "{template: {spec: {containers: [{name: c, image: '%s', resources: {requests: {cpu: 100m}}}]}}}",
        image);

    change(bed, spec.ptr);
}

static int64_t status(Bed *bed, const char *member) {
    return bed_int(bed, KUBE_DEPLOYMENT, "web", arena_printf(&bed->arena, "status.%s", member).ptr);
}

static uint32_t pods_of_image(Bed *bed, const char *image) {
    KubeList pods = bed_list(bed, KUBE_POD, APP, "");
    uint32_t count = 0;

    for (uint32_t i = 0; i < pods.items.count; i++) {
        const Value *containers = bed_at(&pods.items.items[i], "spec.containers");

        count += slice_eq_text(kube_text(&containers->list.items[0], "image", NULL), image);
    }
    return count;
}

// --- tests

TEST(a_deployment_makes_a_replica_set_and_its_pods) {
    Bed *bed = bed_new();
    const char *set;

    bed_nodes(bed, 2);
    deploy(bed, 3, "");
    bed_run_s(bed, 5);
    assert_int_equal(bed_running(bed, APP), 3);
    set = bed_name(bed, KUBE_REPLICA_SET, APP);
    assert_true(slice_starts_with(slice_of(set), SLICE("web-")));
    assert_text(
        bed_text(bed, KUBE_DEPLOYMENT, "web", "metadata.uid"),
        arena_printf(
            &bed->arena, "%.*s",
            SLICE_ARG(kube_text(&bed_at(bed_get(bed, KUBE_REPLICA_SET, set), "metadata.ownerReferences")->list.items[0],
                                "uid", NULL)))
            .ptr);
    assert_int_equal(
        bed_count(bed, KUBE_POD, arena_printf(&bed->arena, "app=web,pod-template-hash=%s", set + strlen("web-")).ptr),
        3);
    bed_free(bed);
}

TEST(the_status_counts_and_names_the_generation_that_was_observed) {
    Bed *bed = bed_new();

    bed_nodes(bed, 2);
    deploy(bed, 4, "");
    bed_run_s(bed, 1);
    assert_int_equal(status(bed, "replicas"), 4);
    assert_int_equal(status(bed, "readyReplicas"), 0);
    assert_int_equal(status(bed, "unavailableReplicas"), 4);
    assert_text(bed_condition(bed, KUBE_DEPLOYMENT, "web", "Available"), "False");
    bed_run_s(bed, 9);
    assert_int_equal(status(bed, "readyReplicas"), 4);
    assert_int_equal(status(bed, "availableReplicas"), 4);
    assert_int_equal(status(bed, "updatedReplicas"), 4);
    assert_int_equal(status(bed, "unavailableReplicas"), 0);
    assert_int_equal(status(bed, "observedGeneration"), 1);
    assert_text(bed_condition(bed, KUBE_DEPLOYMENT, "web", "Available"), "True");
    assert_text(bed_condition(bed, KUBE_DEPLOYMENT, "web", "Progressing"), "True");
    change(bed, "{replicas: 6}");
    assert_int_equal(bed_int(bed, KUBE_DEPLOYMENT, "web", "metadata.generation"), 2);
    bed_run_s(bed, 10);
    assert_int_equal(status(bed, "observedGeneration"), 2);
    assert_int_equal(status(bed, "readyReplicas"), 6);
    bed_free(bed);
}

TEST(scaling_changes_the_one_replica_set) {
    Bed *bed = bed_new();

    bed_nodes(bed, 2);
    deploy(bed, 2, "");
    bed_run_s(bed, 10);
    change(bed, "{replicas: 7}");
    bed_run_s(bed, 10);
    assert_int_equal(bed_running(bed, APP), 7);
    change(bed, "{replicas: 3}");
    bed_run_s(bed, 10);
    assert_int_equal(bed_count(bed, KUBE_POD, APP), 3);
    change(bed, "{replicas: 0}");
    bed_run_s(bed, 10);
    assert_int_equal(bed_count(bed, KUBE_POD, APP), 0);
    assert_int_equal(bed_count(bed, KUBE_REPLICA_SET, APP), 1);
    change(bed, "{replicas: 2}");
    bed_run_s(bed, 10);
    assert_int_equal(bed_running(bed, APP), 2);
    assert_int_equal(bed_count(bed, KUBE_REPLICA_SET, APP), 1);
    bed_free(bed);
}

// Observes every round of a rollout.
typedef struct {
    Bed *bed;
    uint32_t most, least_ready;
} Rollout;

static void observe_rollout(void *context) {
    Rollout *rollout = context;
    const State *mirror = world_state(rollout->bed->world);
    uint32_t active = 0, ready = 0;

    for (Handle at = state_next(mirror, KUBE_POD, HANDLE_NONE); at.generation; at = state_next(mirror, KUBE_POD, at)) {
        const Pod *pod = state_pod(mirror, at);

        active += !pod->deleting;
        ready += !pod->deleting && pod->ready;
    }
    rollout->most = active > rollout->most ? active : rollout->most;
    rollout->least_ready = ready < rollout->least_ready ? ready : rollout->least_ready;
}

// Updates 10 pods and returns the bounds of their number meanwhile.
static Rollout roll(const char *strategy) {
    Bed *bed = bed_new();
    Rollout rollout = {.bed = bed, .least_ready = UINT32_MAX};

    bed_nodes(bed, 2);
    deploy(bed, 10, strategy);
    bed_run_s(bed, 10);
    assert_int_equal(bed_running(bed, APP), 10);
    world_on_round(bed->world, observe_rollout, &rollout);
    change_image(bed, "web:2");
    bed_run_s(bed, 120);
    assert_int_equal(pods_of_image(bed, "web:2"), 10);
    assert_int_equal(bed_count(bed, KUBE_POD, APP), 10);
    assert_int_equal(bed_count(bed, KUBE_REPLICA_SET, APP), 2);
    assert_int_equal(status(bed, "updatedReplicas"), 10);
    assert_int_equal(status(bed, "availableReplicas"), 10);
    bed_free(bed);
    return rollout;
}

TEST(a_rolling_update_keeps_between_max_unavailable_and_max_surge) {
    Rollout rollout = roll("strategy: {rollingUpdate: {maxSurge: 2, maxUnavailable: 1}},");

    assert_int_equal(rollout.most, 12);
    assert_int_equal(rollout.least_ready, 9);
}

TEST(without_surge_pods_go_before_others_come) {
    Rollout rollout = roll("strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 3}},");

    assert_int_equal(rollout.most, 10);
    assert_int_equal(rollout.least_ready, 7);
}

TEST(percentages_round_surge_up_and_unavailable_down) {
    Rollout rollout = roll(""); // 25% of 10

    assert_int_equal(rollout.most, 13);
    assert_int_equal(rollout.least_ready, 8);
}

TEST(recreate_lets_nothing_old_run_beside_the_new) {
    Rollout rollout = roll("strategy: {type: Recreate},");

    assert_int_equal(rollout.most, 10);
    assert_int_equal(rollout.least_ready, 0);
}

TEST(a_rollout_that_gets_no_ready_pods_keeps_the_old_ones) {
    Bed *bed = bed_new();

    bed_nodes(bed, 1);
    deploy(bed, 4, "strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 1}},");
    bed_run_s(bed, 10);
    change(bed, "{template: {spec: {nodeSelector: {nowhere: here}}}}");
    bed_run_s(bed, 300);
    assert_int_equal(bed_running(bed, APP), 3);
    assert_int_equal(bed_count(bed, KUBE_POD, APP), 5);
    assert_text(bed_condition(bed, KUBE_DEPLOYMENT, "web", "Available"), "True");
    change(bed, "{template: {spec: {nodeSelector: null}}}"); // and back again
    bed_run_s(bed, 30);
    assert_int_equal(bed_running(bed, APP), 4);
    assert_int_equal(bed_count(bed, KUBE_POD, APP), 4);
    assert_int_equal(bed_count(bed, KUBE_REPLICA_SET, APP), 2);
    bed_free(bed);
}

TEST(an_earlier_template_gets_its_replica_set_back_with_a_new_revision) {
    Bed *bed = bed_new();
    const Value *annotations;
    const char *first;

    bed_nodes(bed, 1);
    deploy(bed, 2, "");
    bed_run_s(bed, 10);
    first = bed_name(bed, KUBE_REPLICA_SET, APP);
    change_image(bed, "web:2");
    bed_run_s(bed, 30);
    change_image(bed, "web:1");
    bed_run_s(bed, 30);
    assert_int_equal(bed_count(bed, KUBE_REPLICA_SET, APP), 2);
    assert_int_equal(bed_int(bed, KUBE_REPLICA_SET, first, "status.readyReplicas"), 2);
    annotations = value_at(bed_get(bed, KUBE_REPLICA_SET, first), "metadata", "annotations", NULL);
    assert_text(kube_text(annotations, "deployment.kubernetes.io/revision", NULL), "3");
    annotations = value_at(bed_get(bed, KUBE_DEPLOYMENT, "web"), "metadata", "annotations", NULL);
    assert_text(kube_text(annotations, "deployment.kubernetes.io/revision", NULL), "3");
    bed_free(bed);
}

TEST(history_beyond_its_limit_is_removed_oldest_first) {
    Bed *bed = bed_new();

    bed_nodes(bed, 1);
    deploy(bed, 1, "revisionHistoryLimit: 2,");
    for (int version = 2; version <= 6; version++) {
        bed_run_s(bed, 20);
        change_image(bed, arena_printf(&bed->arena, "web:%d", version).ptr);
    }
    bed_run_s(bed, 30);
    assert_int_equal(bed_count(bed, KUBE_REPLICA_SET, APP), 3);
    assert_int_equal(pods_of_image(bed, "web:6"), 1);
    bed_free(bed);
}

TEST(scaling_in_the_middle_of_a_rollout_is_shared_out_in_proportion) {
    Bed *bed = bed_new();

    bed_nodes(bed, 1);
    deploy(bed, 10, "strategy: {rollingUpdate: {maxSurge: 3, maxUnavailable: 2}},");
    bed_run_s(bed, 10);
    change(bed, "{template: {spec: {nodeSelector: {nowhere: here}}}}"); // 8 old, 5 new: the example of Kubernetes' docs
    bed_run_s(bed, 60);
    assert_int_equal(bed_running(bed, APP), 8);
    assert_int_equal(bed_count(bed, KUBE_POD, APP), 13);
    change(bed, "{replicas: 15}"); // 3 more for the old one, 2 for the new one
    bed_run_s(bed, 60);
    assert_int_equal(bed_running(bed, APP), 11);
    assert_int_equal(bed_count(bed, KUBE_POD, APP), 18);
    bed_free(bed);
}

TEST(a_paused_deployment_scales_but_does_not_roll) {
    Bed *bed = bed_new();

    bed_nodes(bed, 1);
    deploy(bed, 2, "");
    bed_run_s(bed, 10);
    change(bed, "{paused: true}");
    change_image(bed, "web:2");
    change(bed, "{replicas: 5}");
    bed_run_s(bed, 30);
    assert_int_equal(pods_of_image(bed, "web:1"), 5);
    assert_int_equal(bed_count(bed, KUBE_POD, APP), 5);
    change(bed, "{paused: false}");
    bed_run_s(bed, 60);
    assert_int_equal(pods_of_image(bed, "web:2"), 5);
    bed_free(bed);
}

TEST(pods_count_as_available_after_min_ready_seconds) {
    Bed *bed = bed_new();

    bed_nodes(bed, 1);
    deploy(bed, 2, "minReadySeconds: 30,");
    bed_run_s(bed, 20);
    assert_int_equal(status(bed, "readyReplicas"), 2);
    assert_int_equal(status(bed, "availableReplicas"), 0);
    bed_run_s(bed, 20);
    assert_int_equal(status(bed, "availableReplicas"), 2);
    bed_free(bed);
}

TEST(what_a_deployment_owns_goes_with_it) {
    Bed *bed = bed_new();

    bed_nodes(bed, 1);
    deploy(bed, 5, "");
    bed_run_s(bed, 10);
    cluster_delete(bed->world, KUBE_DEPLOYMENT, "default", "web");
    bed_run_s(bed, 60);
    assert_int_equal(bed_count(bed, KUBE_REPLICA_SET, APP), 0);
    assert_int_equal(bed_count(bed, KUBE_POD, APP), 0);
    bed_free(bed);
}

TEST(a_deployment_made_again_under_its_name_starts_anew) {
    Bed *bed = bed_new();

    bed_nodes(bed, 1);
    deploy(bed, 3, "");
    bed_run_s(bed, 10);
    cluster_delete(bed->world, KUBE_DEPLOYMENT, "default", "web");
    deploy(bed, 2, "");
    bed_run_s(bed, 60);
    assert_int_equal(bed_running(bed, APP), 2);
    assert_int_equal(bed_count(bed, KUBE_POD, APP), 2);
    assert_int_equal(bed_count(bed, KUBE_REPLICA_SET, APP), 1);
    bed_free(bed);
}
