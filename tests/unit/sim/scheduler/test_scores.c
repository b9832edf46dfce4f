// The embedded scheduler's choice among nodes that all would do.
#include "sim/scheduler_stage.h"

#define ZONE "topology.kubernetes.io/zone"
#define ROOM "cpu: 8, memory: 16Gi, pods: 110"

static void nodes(World *world, const char *zones) {
    for (int i = 0; zones[i]; i++) {
        char name[16], labels[64];

        snprintf(name, sizeof name, "n%d", i);
        snprintf(labels, sizeof labels, ZONE ": %c, 'index': '%d'", zones[i], i);
        stage_node(world, name, labels, ROOM);
    }
}

TEST(the_emptiest_node_is_taken) {
    World *world = stage_new();

    nodes(world, "aaa");
    stage_sized(world, "one", "cpu: 4, memory: 8Gi", "nodeName: n0");
    stage_sized(world, "two", "cpu: 2, memory: 4Gi", "nodeName: n1");
    stage_sized(world, "three", "cpu: 3, memory: 6Gi", "nodeName: n2");
    world_settle(world);
    stage_sized(world, "p", "cpu: 500m, memory: 1Gi", "");
    stage_wait(world, 1);
    assert_bound(world, "p", "n1");
    world_free(world);
}

TEST(a_soft_taint_is_avoided_while_there_is_another) {
    World *world = stage_new();

    nodes(world, "aa");
    cluster_patch(world, KUBE_NODE, "", "n0", KUBE_OBJECT, "{spec: {taints: [{key: k, effect: PreferNoSchedule}]}}");
    stage_sized(world, "load", "cpu: 4, memory: 8Gi", "nodeName: n1");
    world_settle(world);
    stage_sized(world, "p", "cpu: 500m, memory: 1Gi", "");
    stage_wait(world, 1);
    assert_bound(world, "p", "n1");
    stage_sized(world, "big", "cpu: 6, memory: 1Gi", "");
    stage_wait(world, 1);
    assert_bound(world, "big", "n0");
    world_free(world);
}

TEST(preferred_node_affinity_weighs) {
    World *world = stage_new();

    nodes(world, "abc");
    stage_pod(world, "p", "",
              "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 10, preference: "
              "{matchExpressions: [{key: " ZONE ", operator: In, values: [a, c]}]}}, {weight: 5, preference: "
              "{matchExpressions: [{key: " ZONE ", operator: In, values: [c]}]}}]}}");
    stage_wait(world, 1);
    assert_bound(world, "p", "n2");
    world_free(world);
}

TEST(soft_spread_goes_to_the_emptiest_zone) {
    World *world = stage_new();

    nodes(world, "abc");
    for (int i = 0; i < 4; i++) {
        char name[16];

        snprintf(name, sizeof name, "w%d", i);
        stage_pod(world, name, "labels: {app: web}", i < 2 ? "nodeName: n0" : i == 2 ? "nodeName: n2" : "nodeName: n2");
    }
    world_settle(world);
    stage_pod(world, "p", "labels: {app: web}",
              "topologySpreadConstraints: [{maxSkew: 1, topologyKey: " ZONE
              ", whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {app: web}}}]");
    stage_wait(world, 1);
    assert_bound(world, "p", "n1");
    world_free(world);
}

// Pods of one ReplicaSet are spread without being asked.
TEST(replicas_are_spread_by_default) {
    World *world = stage_new();
    Arena arena = {0};
    Value set;
    char meta[512];
    uint32_t seen[4] = {0};

    nodes(world, "aabb");
    cluster_create(world, "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web, namespace: default}, spec: "
                          "{replicas: 4, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: "
                          "web}}, spec: {containers: [{name: c, image: i}]}}}}");
    world_settle(world);
    assert_int_equal(
        kube_get(world_kube(world), &arena, (KubeRef){KUBE_REPLICA_SET, SLICE("default"), SLICE("web")}, &set, NULL),
        OK);
    snprintf(meta, sizeof meta,
             "labels: {app: web}, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web, uid: %.*s, "
             "controller: true}]",
             SLICE_ARG(kube_uid(&set)));
    for (int i = 0; i < 4; i++) {
        char name[16];
        Slice node;

        snprintf(name, sizeof name, "w%d", i);
        stage_pod(world, name, meta, "");
        stage_wait(world, 1);
        node = symbol_text(world_symbols(world), stage_find_pod(world, name)->node_name);
        assert_int_equal(node.len, 2);
        seen[node.ptr[1] - '0']++;
    }
    for (int i = 0; i < 4; i++)
        assert_int_equal(seen[i], 1);
    arena_free(&arena);
    world_free(world);
}

TEST(preferred_pod_affinity_pulls_and_pushes) {
    static const char term[] = "[{weight: 100, podAffinityTerm: {labelSelector: {matchLabels: {app: db}}, topologyKey: "
                               "kubernetes.io/hostname}}]";
    World *world = stage_new();
    char spec[512];

    nodes(world, "ab");
    stage_pod(world, "db", "labels: {app: db}", "nodeName: n1");
    world_settle(world);
    snprintf(spec, sizeof spec, "affinity: {podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: %s}}", term);
    stage_pod(world, "friend", "", spec);
    snprintf(spec, sizeof spec, "affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: %s}}",
             term);
    stage_pod(world, "stranger", "", spec);
    stage_wait(world, 1);
    assert_bound(world, "friend", "n1");
    assert_bound(world, "stranger", "n0");
    world_free(world);
}

TEST(images_do_not_count) {
    World *world = stage_new();

    nodes(world, "aa");
    cluster_patch(world, KUBE_NODE, "", "n0", KUBE_STATUS, "{status: {images: [{names: [i], sizeBytes: 2000000000}]}}");
    stage_sized(world, "load", "cpu: 1, memory: 2Gi", "nodeName: n0");
    world_settle(world);
    stage_pod(world, "p", "", "");
    stage_wait(world, 1);
    assert_bound(world, "p", "n1");
    world_free(world);
}

// Ties are broken by chance, and chance by the seed.
static uint64_t life(uint64_t seed) {
    World *world = world_new(&(WorldConfig){.seed = seed});
    uint64_t hash = 0;

    sim_scheduler_add(world, NULL);
    nodes(world, "abcabc");
    for (int i = 0; i < 40; i++) {
        char name[16];

        snprintf(name, sizeof name, "p%d", i);
        stage_pod(world, name, "", "");
        stage_wait(world, 1);
        hash =
            hash_combine(hash, slice_hash(symbol_text(world_symbols(world), stage_find_pod(world, name)->node_name)));
    }
    world_free(world);
    return hash;
}

TEST(equal_seeds_give_equal_placements) {
    assert_true(life(7) == life(7));
    assert_false(life(7) == life(8));
}
