// Volumes: the embedded scheduler's filters, and the provisioner.
#include "sim/scheduler_env.h"

#define ROOM "cpu: 4, memory: 8Gi, pods: 110"
#define ZONE "topology.kubernetes.io/zone"
#define HELPLESS(n)                                                                                                    \
    " no new claims to deallocate, preemption: 0/" #n " nodes are available: " #n                                      \
    " Preemption is not helpful for scheduling."

static World *two_zones(void) {
    World *world = env_new();

    sim_provisioner_add(world, NULL);
    env_node(world, "a", ZONE ": a", ROOM);
    env_node(world, "b", ZONE ": b", ROOM);
    cluster_create(world, "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: late}, provisioner: "
                          "ebs.csi.aws.com, volumeBindingMode: WaitForFirstConsumer}");
    cluster_create(world, "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: early}, provisioner: "
                          "ebs.csi.aws.com, volumeBindingMode: Immediate}");
    world_settle(world);
    return world;
}

static void make_claim(World *world, const char *name, const char *spec) {
    cluster_create(world,
                   "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: %s, namespace: default}, spec: "
                   "{accessModes: [ReadWriteOnce], resources: {requests: {storage: 10Gi}}, %s}}",
                   name, spec);
}

static void make_claim_for_one_pod(World *world, const char *name) {
    cluster_create(world,
                   "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: %s, namespace: default}, spec: "
                   "{accessModes: [ReadWriteOncePod], resources: {requests: {storage: 10Gi}}, storageClassName: late}}",
                   name);
}

static void make_volume(World *world, const char *name, const char *spec) {
    cluster_create(world,
                   "{apiVersion: v1, kind: PersistentVolume, metadata: {name: %s}, spec: {capacity: {storage: 10Gi}, "
                   "accessModes: [ReadWriteOnce], %s}}",
                   name, spec);
}

static void make_user(World *world, const char *name, const char *claim, const char *more) {
    char spec[512];

    snprintf(spec, sizeof spec, "volumes: [{name: v, persistentVolumeClaim: {claimName: %s}}], %s", claim, more);
    env_pod(world, name, "", spec);
}

static const PersistentVolumeClaim *find_claim(World *world, const char *name) {
    return state_persistent_volume_claim(world_state(world),
                                         cluster_find(world, KUBE_PERSISTENT_VOLUME_CLAIM, "default", name));
}

static void assert_phase(World *world, const char *claim, const char *phase) {
    const PersistentVolumeClaim *found = find_claim(world, claim);

    assert_non_null(found);
    if (!slice_eq_text(symbol_text(world_symbols(world), found->phase), phase))
        fail_msg("%s is not %s", claim, phase);
}

// --- the scheduler

TEST(a_claim_that_is_missing_is_named) {
    World *world = two_zones();

    make_user(world, "p", "data", "");
    env_wait(world, 1);
    assert_refused(world, "p", "0/2 nodes are available: persistentvolumeclaim \"data\" not found. not found");
    make_claim(world, "data", "storageClassName: late");
    env_wait(world, 15);
    assert_true(env_find_pod(world, "p")->node_name != NAME_EMPTY);
    world_free(world);
}

static void assert_nominated(World *world, const char *pod, const char *node) {
    Slice found = symbol_text(world_symbols(world), env_find_pod(world, pod)->nominated_node_name);

    if (!slice_eq_text(found, node))
        fail_msg("%s is nominated for \"%.*s\", expected \"%s\"", pod, SLICE_ARG(found), node);
}

TEST(no_pod_is_evicted_for_a_pod_without_its_volume_claim) {
    World *world = env_new();

    env_node(world, "a", "", "cpu: 1, memory: 8Gi, pods: 110");
    cluster_create(world, "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 9}");
    env_sized(world, "low", "cpu: 1", "nodeName: a");
    make_user(world, "p", "data", "priorityClassName: high");
    env_wait(world, 1);
    assert_refused(world, "p", "0/1 nodes are available: persistentvolumeclaim \"data\" not found. not found");
    assert_false(env_find_pod(world, "low")->deleting);
    world_free(world);
}

TEST(a_late_class_gets_its_volume_where_the_pod_goes) {
    World *world = two_zones();
    const PersistentVolume *volume;

    make_claim(world, "data", "storageClassName: late");
    env_wait(world, 60);
    assert_phase(world, "data", "Pending");
    make_user(world, "p", "data", "nodeSelector: {" ZONE ": b}");
    env_wait(world, 2);
    assert_bound(world, "p", ""); // the volume is being provisioned
    assert_nominated(world, "p", "b");
    env_wait(world, 2);
    assert_bound(world, "p", "b");
    assert_nominated(world, "p", "");
    assert_phase(world, "data", "Bound");
    volume =
        state_persistent_volume(world_state(world), state_find(world_state(world), KUBE_PERSISTENT_VOLUME, NAME_EMPTY,
                                                               find_claim(world, "data")->volume_name));
    assert_non_null(volume);
    assert_int_equal(volume->node_terms.count, 1);
    env_pod(world, "q", "",
            "volumes: [{name: v, persistentVolumeClaim: {claimName: data}}], nodeSelector: {" ZONE
            ": a}"); // the volume is in b now
    env_wait(world, 1);
    assert_refused(world, "q",
                   "0/2 nodes are available: 1 node(s) didn't match PersistentVolume's node affinity, 1 node(s) didn't "
                   "match Pod's node affinity/selector." HELPLESS(2));
    world_free(world);
}

TEST(an_early_class_is_bound_before_any_pod) {
    World *world = two_zones();

    make_claim(world, "data", "storageClassName: early");
    make_user(world, "p", "data", "");
    env_wait(world, 2);
    assert_refused(world, "p", "0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found");
    env_wait(world, 10);
    assert_phase(world, "data", "Bound");
    assert_true(env_find_pod(world, "p")->node_name != NAME_EMPTY);
    world_free(world);
}

TEST(allowed_topologies_choose_the_zone) {
    World *world = two_zones();

    cluster_create(world, "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: only-b}, provisioner: "
                          "ebs.csi.aws.com, volumeBindingMode: WaitForFirstConsumer, allowedTopologies: "
                          "[{matchLabelExpressions: [{key: " ZONE ", values: [b]}]}]}");
    make_claim(world, "data", "storageClassName: only-b");
    make_user(world, "p", "data", "");
    env_wait(world, 10);
    assert_bound(world, "p", "b");
    make_claim(world, "more", "storageClassName: only-b");
    make_user(world, "q", "more", "nodeSelector: {" ZONE ": a}");
    env_wait(world, 10);
    assert_refused(world, "q",
                   "0/2 nodes are available: 1 node(s) didn't find available persistent volumes to bind, 1 node(s) "
                   "didn't match Pod's node affinity/selector." HELPLESS(2));
    world_free(world);
}

TEST(zone_labels_of_old_volumes_count) {
    World *world = two_zones();

    cluster_create(world,
                   "{apiVersion: v1, kind: PersistentVolume, metadata: {name: old, labels: {" ZONE ": b}}, spec: "
                   "{capacity: {storage: 10Gi}, accessModes: [ReadWriteOnce], awsElasticBlockStore: {volumeID: "
                   "vol-1}}}");
    make_claim(world, "data", "storageClassName: '', volumeName: old");
    make_user(world, "p", "data", "");
    env_wait(world, 10);
    assert_phase(world, "data", "Bound");
    assert_bound(world, "p", "b");
    make_user(world, "q", "data", "nodeSelector: {" ZONE ": a}");
    env_wait(world, 1);
    assert_refused(world, "q",
                   "0/2 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had no "
                   "available volume zone." HELPLESS(2));
    world_free(world);
}

TEST(a_driver_attaches_only_so_many) {
    World *world = two_zones();

    cluster_create(world, "{apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {name: a}, spec: {drivers: [{name: "
                          "ebs.csi.aws.com, nodeID: a, allocatable: {count: 2}}]}}");
    for (int i = 0; i < 4; i++) {
        char claim[16], pod[16];

        snprintf(claim, sizeof claim, "data%d", i);
        snprintf(pod, sizeof pod, "p%d", i);
        make_claim(world, claim, "storageClassName: late");
        make_user(world, pod, claim, "nodeSelector: {" ZONE ": a}");
        env_wait(world, 5);
        assert_bound(world, pod, i < 2 ? "a" : "");
    }
    make_user(world, "shares", "data0", "nodeSelector: {" ZONE ": a}"); // is attached already
    env_wait(world, 5);
    assert_bound(world, "shares", "a");
    assert_refused(world, "p2",
                   "0/2 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) exceed max "
                   "volume count. no new claims to deallocate, preemption: 0/2 nodes are available: 1 No preemption "
                   "victims found for incoming pod, 1 Preemption is not helpful for scheduling.");
    cluster_patch(world, KUBE_POD, "default", "p1", KUBE_STATUS, "{status: {phase: Succeeded}}");
    env_wait(world, 15);
    assert_true((env_find_pod(world, "p2")->node_name != NAME_EMPTY) +
                    (env_find_pod(world, "p3")->node_name != NAME_EMPTY) ==
                1);
    world_free(world);
}

#define IN_USE                                                                                                         \
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another "    \
    "pod."

TEST(a_claim_for_one_pod_waits_for_the_other_to_end) {
    World *world = two_zones();

    make_claim_for_one_pod(world, "data");
    make_user(world, "p", "data", "");
    env_wait(world, 5);
    assert_true(env_find_pod(world, "p")->node_name != NAME_EMPTY);
    make_user(world, "q", "data", "");
    env_wait(world, 1);
    assert_refused(world, "q",
                   "0/2 nodes are available: 2 " IN_USE " no new claims to deallocate, preemption: 0/2 nodes are "
                   "available: 2 No preemption victims found for incoming pod.");
    cluster_patch(world, KUBE_POD, "default", "p", KUBE_STATUS, "{status: {phase: Succeeded}}");
    env_wait(world, 15);
    assert_true(env_find_pod(world, "q")->node_name != NAME_EMPTY);
    world_free(world);
}

TEST(a_claim_for_one_pod_goes_to_the_more_important) {
    World *world = two_zones();

    cluster_create(world, "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 9}");
    make_claim_for_one_pod(world, "data");
    make_user(world, "p", "data", "nodeSelector: {" ZONE ": a}");
    env_wait(world, 5);
    assert_bound(world, "p", "a");
    env_running(world, "p", "startTime: '2026-01-01T00:00:00Z'");
    make_user(world, "q", "data", "priorityClassName: high");
    env_wait(world, 1);
    assert_true(env_find_pod(world, "p")->deleting);
    assert_nominated(world, "q", "a");
    world_free(world);
}

// --- the provisioner

TEST(ephemeral_volumes_get_claims_of_their_pod) {
    World *world = two_zones();

    env_pod(world, "p", "",
            "volumes: [{name: scratch, ephemeral: {volumeClaimTemplate: {metadata: {labels: {a: b}}, spec: "
            "{storageClassName: late, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}}}]");
    env_wait(world, 15);
    assert_non_null(find_claim(world, "p-scratch"));
    assert_phase(world, "p-scratch", "Bound");
    assert_true(env_find_pod(world, "p")->node_name != NAME_EMPTY);
    assert_int_equal(state_count(world_state(world), KUBE_PERSISTENT_VOLUME), 1);
    kube_remove(world_kube(world), (KubeRef){KUBE_POD, SLICE("default"), SLICE("p")},
                &(KubeDeletion){.has_grace = true}, NULL);
    env_wait(world, 5);
    assert_null(find_claim(world, "p-scratch")); // and its volume, whose policy is Delete
    assert_int_equal(state_count(world_state(world), KUBE_PERSISTENT_VOLUME), 0);
    world_free(world);
}

TEST(volumes_that_are_retained_are_released) {
    World *world = two_zones();
    Arena arena = {0};
    Value volume;

    make_volume(world, "kept", "hostPath: {path: /data}, storageClassName: manual");
    make_claim(world, "data", "storageClassName: manual");
    env_wait(world, 1);
    assert_phase(world, "data", "Bound");
    cluster_delete(world, KUBE_PERSISTENT_VOLUME_CLAIM, "default", "data");
    env_wait(world, 1);
    assert_int_equal(
        kube_get(world_kube(world), &arena, (KubeRef){KUBE_PERSISTENT_VOLUME, {0}, SLICE("kept")}, &volume, NULL), OK);
    assert_true(slice_eq_text(kube_text(&volume, "status", "phase", NULL), "Released"));
    make_claim(world, "again", "storageClassName: manual");
    env_wait(world, 1);
    assert_phase(world, "again", "Pending"); // it was another's
    arena_free(&arena);
    world_free(world);
}

TEST(the_smallest_volume_that_is_enough_is_taken) {
    World *world = two_zones();

    make_volume(world, "huge", "hostPath: {path: /data}, storageClassName: manual");
    cluster_patch(world, KUBE_PERSISTENT_VOLUME, "", "huge", KUBE_OBJECT, "{spec: {capacity: {storage: 100Gi}}}");
    make_volume(world, "right", "hostPath: {path: /data}, storageClassName: manual");
    make_volume(world, "small", "hostPath: {path: /data}, storageClassName: manual");
    cluster_patch(world, KUBE_PERSISTENT_VOLUME, "", "small", KUBE_OBJECT, "{spec: {capacity: {storage: 1Gi}}}");
    make_volume(world, "other", "hostPath: {path: /data}, storageClassName: other");
    env_wait(world, 1);
    make_claim(world, "data", "storageClassName: manual");
    env_wait(world, 1);
    assert_true(slice_eq_text(symbol_text(world_symbols(world), find_claim(world, "data")->volume_name), "right"));
    world_free(world);
}

// The selected node is deleted before the volume is made: another is selected.
TEST(a_selected_node_that_goes_is_given_up) {
    World *world = two_zones();

    make_claim(world, "data", "storageClassName: late");
    cluster_patch(world, KUBE_NODE, "", "b", KUBE_OBJECT, "{spec: {taints: [{key: k, effect: NoSchedule}]}}");
    make_user(world, "p", "data", "");
    env_wait(world, 1);
    assert_nominated(world, "p", "a");
    cluster_delete(world, KUBE_NODE, "", "a");
    cluster_patch(world, KUBE_NODE, "", "b", KUBE_OBJECT, "{spec: {taints: null}}");
    env_wait(world, 30);
    assert_bound(world, "p", "b");
    assert_phase(world, "data", "Bound");
    world_free(world);
}
