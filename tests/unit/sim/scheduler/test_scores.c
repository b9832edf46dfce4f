// The embedded scheduler's choice among feasible nodes.
#include "sim/scheduler_env.h"

#define ZONE "topology.kubernetes.io/zone"
#define ROOM "cpu: 8, memory: 16Gi, pods: 110"

static void nodes(World *world, const char *zones) {
    for (int i = 0; zones[i]; i++) {
        char name[16], labels[64];

        snprintf(name, sizeof name, "n%d", i);
        snprintf(labels, sizeof labels, ZONE ": %c, 'index': '%d'", zones[i], i);
        env_node(world, name, labels, ROOM);
    }
}

TEST(the_emptiest_node_is_taken) {
    World *world = env_new();

    nodes(world, "aaa");
    env_sized(world, "one", "cpu: 4, memory: 8Gi", "nodeName: n0");
    env_sized(world, "two", "cpu: 2, memory: 4Gi", "nodeName: n1");
    env_sized(world, "three", "cpu: 3, memory: 6Gi", "nodeName: n2");
    world_settle(world);
    env_sized(world, "p", "cpu: 500m, memory: 1Gi", "");
    env_wait(world, 1);
    assert_bound(world, "p", "n1");
    world_free(world);
}

TEST(a_soft_taint_is_avoided_while_there_is_another) {
    World *world = env_new();

    nodes(world, "aa");
    cluster_patch(world, KUBE_NODE, "", "n0", KUBE_OBJECT, "{spec: {taints: [{key: k, effect: PreferNoSchedule}]}}");
    env_sized(world, "load", "cpu: 4, memory: 8Gi", "nodeName: n1");
    world_settle(world);
    env_sized(world, "p", "cpu: 500m, memory: 1Gi", "");
    env_wait(world, 1);
    assert_bound(world, "p", "n1");
    env_sized(world, "big", "cpu: 6, memory: 1Gi", "");
    env_wait(world, 1);
    assert_bound(world, "big", "n0");
    world_free(world);
}

TEST(preferred_node_affinity_weighs) {
    World *world = env_new();

    nodes(world, "abc");
    env_pod(world, "p", "",
            "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 10, preference: "
            "{matchExpressions: [{key: " ZONE ", operator: In, values: [a, c]}]}}, {weight: 5, preference: "
            "{matchExpressions: [{key: " ZONE ", operator: In, values: [c]}]}}]}}");
    env_wait(world, 1);
    assert_bound(world, "p", "n2");
    world_free(world);
}

TEST(soft_spread_goes_to_the_emptiest_zone) {
    World *world = env_new();

    nodes(world, "abc");
    for (int i = 0; i < 4; i++) {
        char name[16];

        snprintf(name, sizeof name, "w%d", i);
        env_pod(world, name, "labels: {app: web}", i < 2 ? "nodeName: n0" : i == 2 ? "nodeName: n2" : "nodeName: n2");
    }
    world_settle(world);
    env_pod(world, "p", "labels: {app: web}",
            "topologySpreadConstraints: [{maxSkew: 1, topologyKey: " ZONE
            ", whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {app: web}}}]");
    env_wait(world, 1);
    assert_bound(world, "p", "n1");
    world_free(world);
}

// Pods of one ReplicaSet are spread by default.
TEST(replicas_are_spread_by_default) {
    World *world = env_new();
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
        env_pod(world, name, meta, "");
        env_wait(world, 1);
        node = symbol_text(world_symbols(world), env_find_pod(world, name)->node_name);
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
    World *world = env_new();
    char spec[512];

    nodes(world, "ab");
    env_pod(world, "db", "labels: {app: db}", "nodeName: n1");
    world_settle(world);
    snprintf(spec, sizeof spec, "affinity: {podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: %s}}", term);
    env_pod(world, "friend", "", spec);
    snprintf(spec, sizeof spec, "affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: %s}}",
             term);
    env_pod(world, "stranger", "", spec);
    env_wait(world, 1);
    assert_bound(world, "friend", "n1");
    assert_bound(world, "stranger", "n0");
    world_free(world);
}

TEST(images_do_not_count) {
    World *world = env_new();

    nodes(world, "aa");
    cluster_patch(world, KUBE_NODE, "", "n0", KUBE_STATUS, "{status: {images: [{names: [i], sizeBytes: 2000000000}]}}");
    env_sized(world, "load", "cpu: 1, memory: 2Gi", "nodeName: n0");
    world_settle(world);
    env_pod(world, "p", "", "");
    env_wait(world, 1);
    assert_bound(world, "p", "n1");
    world_free(world);
}

// Ties are broken at random, by the seed.
static uint64_t life(uint64_t seed) {
    World *world = world_new(&(WorldConfig){.seed = seed});
    uint64_t hash = 0;

    sim_scheduler_add(world, NULL);
    nodes(world, "abcabc");
    for (int i = 0; i < 40; i++) {
        char name[16];

        snprintf(name, sizeof name, "p%d", i);
        env_pod(world, name, "", "");
        env_wait(world, 1);
        hash = hash_combine(hash, slice_hash(symbol_text(world_symbols(world), env_find_pod(world, name)->node_name)));
    }
    world_free(world);
    return hash;
}

TEST(equal_seeds_give_equal_placements) {
    assert_true(life(7) == life(7));
    assert_false(life(7) == life(8));
}
