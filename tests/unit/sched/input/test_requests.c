// Pod classes and their request vectors: what is counted, and which pods are one class.
#include "harness/test.h"
#include "sched/prepare.h"
#include "sched/solver.h"
#include "sched/support/world_plan.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct {
    Arena arena;
    Solver solver;
} Prepared;

static Prepared *prepare(World *w) {
    Prepared *prepared = calloc(1, sizeof *prepared);

    world_plan(w);
    solver_init(&prepared->solver, &prepared->arena, world_input(w));
    return prepared;
}

static void release(Prepared *prepared) {
    arena_free(&prepared->arena);
    free(prepared);
}

static int64_t requested(const Prepared *prepared, uint32_t class, const char *resource) {
    const ClassTable *classes = &prepared->solver.classes;
    Symbol symbol = symbol_find(prepared->solver.universe.symbols, slice_of(resource));
    uint32_t dim = symbol == INDEX_NONE ? INDEX_NONE : dimension_of(&classes->dimensions, symbol);

    return dim == INDEX_NONE ? -1 : classes->classes.items[class].requests[dim];
}

#define CLAIM_OBJECT(w, name)                                                                                          \
    world_object((w), "apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: " name                            \
                      "}, spec: {storageClassName: fast}")

static void add_class(World *w) {
    world_object(w, "apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast}, provisioner: "
                    "ebs.csi.aws.com, volumeBindingMode: WaitForFirstConsumer");
}

// --- what is counted

TEST_F(World, w, requests_are_in_base_units) {
    Prepared *prepared;
    world_pods(w, .name = "web", .requests = "cpu: 1500m, memory: 1Gi, vendor.com/gpu: 2");

    prepared = prepare(w);

    assert_int_equal(requested(prepared, 0, "cpu"), 1500);
    assert_int_equal(requested(prepared, 0, "memory"), INT64_C(1) << 30);
    assert_int_equal(requested(prepared, 0, "pods"), 1);
    assert_int_equal(requested(prepared, 0, "vendor.com/gpu"), 2);
    release(prepared);
}

TEST_F(World, w, requests_of_nothing_take_a_pod_slot) {
    Prepared *prepared;
    world_pods(w, .name = "web");

    prepared = prepare(w);

    assert_int_equal(requested(prepared, 0, "cpu"), 0);
    assert_int_equal(requested(prepared, 0, "pods"), 1);
    release(prepared);
}

TEST_F(World, w, resources_that_no_pod_requests_are_not_counted) {
    Prepared *prepared;
    world_type(w, .name = "gpu", .capacity = "cpu: 4, memory: 8Gi, pods: 10, vendor.com/gpu: 8", .price = 1);
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .requests = "cpu: 1, vendor.com/zero: 0");

    prepared = prepare(w);

    assert_int_equal(requested(prepared, 0, "vendor.com/gpu"), -1);
    assert_int_equal(requested(prepared, 0, "vendor.com/zero"), -1);
    assert_int_equal(prepared->solver.classes.dimensions.count, 3); // cpu, memory, pods
    release(prepared);
}

TEST_F(World, w, resources_with_a_limit_are_counted) {
    Prepared *prepared;
    world_pool(w, .name = "default", .spec = "limits: {vendor.com/gpu: 4, nodes: 3}");
    world_pods(w, .name = "web", .requests = "cpu: 1");

    prepared = prepare(w);

    assert_int_equal(requested(prepared, 0, "vendor.com/gpu"), 0);
    assert_int_equal(requested(prepared, 0, "nodes"), -1); // counted apart
    release(prepared);
}

// --- which pods are one class

TEST_F(World, w, pods_with_equal_specs_are_one_class) {
    world_pods(w, .name = "web", .count = 5, .labels = "app: web", .requests = "cpu: 1");
    world_pods(w, .name = "api", .count = 2, .labels = "app: api",
               .requests = "cpu: 1"); // no selector looks at the label
    world_pods(w, .name = "large", .labels = "app: web", .requests = "cpu: 2");

    assert_int_equal(world_plan(w)->class_count, 2);
}

TEST_F(World, w, pods_that_a_selector_tells_apart_are_two_classes) {
    world_pods(w, .name = "web", .count = 5, .labels = "app: web", .requests = "cpu: 1");
    world_pods(w, .name = "api", .count = 2, .labels = "app: api", .requests = "cpu: 1");
    world_pods(w, .name = "shy", .requests = "cpu: 1", .spec = AFFINITY(APART(PODS(HOST, "app: web", ""))));

    assert_int_equal(world_plan(w)->class_count, 3);
}

TEST_F(World, w, pods_of_different_namespaces_are_two_classes) {
    world_pods(w, .name = "one", .requests = "cpu: 1");
    world_pods(w, .name = "two", .requests = "cpu: 1", .ns = "other");
    world_pods(w, .name = "three", .requests = "cpu: 1");

    assert_int_equal(world_plan(w)->class_count, 2);
}

TEST_F(World, w, claims_of_one_pod_count_in_the_dimension_of_their_driver) {
    Prepared *prepared;
    add_class(w);
    CLAIM_OBJECT(w, "one");
    CLAIM_OBJECT(w, "two");
    world_pods(w, .name = "db-0", .requests = "cpu: 1",
               .spec = "volumes: [{name: v, persistentVolumeClaim: {claimName: one}}]");
    world_pods(w, .name = "db-1", .requests = "cpu: 1",
               .spec = "volumes: [{name: v, persistentVolumeClaim: {claimName: two}}]");

    prepared = prepare(w);

    for (vec_each(PodClass, class, &prepared->solver.classes.classes)) {
        uint32_t dim = dimension_of_driver(&prepared->solver.classes.dimensions,
                                           symbol_find(prepared->solver.universe.symbols, SLICE("ebs.csi.aws.com")));

        assert_int_equal(class->requests[dim], 1);
        assert_int_equal(class->shared_claims.count, 0);
    }
    release(prepared);
}

TEST_F(World, w, pods_that_share_a_claim_attach_it_once) {
    Prepared *prepared;
    add_class(w);
    CLAIM_OBJECT(w, "shared");
    world_pods(w, .name = "db", .count = 2, .requests = "cpu: 1", .spec = CLAIMS("shared"));

    prepared = prepare(w);

    assert_int_equal(prepared->solver.classes.classes.count, 1);
    assert_int_equal(prepared->solver.classes.classes.items[0].shared_claims.count, 1);
    release(prepared);
}

// By age, then by name, whatever the order of the input.
TEST_F(World, w, pods_of_a_class_are_in_the_order_of_age_and_name) {
    Prepared *prepared;
    const ClassTable *classes;
    world_pods(w, .name = "young-10", .requests = "cpu: 1", .meta = "creationTimestamp: \"2026-01-02T00:00:00Z\"");
    world_pods(w, .name = "old", .requests = "cpu: 1", .meta = "creationTimestamp: \"2026-01-01T00:00:00Z\"");
    world_pods(w, .name = "young-9", .requests = "cpu: 1", .meta = "creationTimestamp: \"2026-01-02T00:00:00Z\"");

    prepared = prepare(w);
    classes = &prepared->solver.classes;

    assert_int_equal(classes->classes.count, 1);
    assert_int_equal(classes->pods[0], 1);
    assert_int_equal(classes->pods[1], 2);
    assert_int_equal(classes->pods[2], 0);
    release(prepared);
}

TEST_F(World, w, launch_order_has_one_variant_per_preference) {
    Prepared *prepared;
    world_pods(w, .name = "plain", .requests = "cpu: 3");
    world_pods(w, .name = "picky", .labels = "app: web", .requests = "cpu: 2",
               .spec = SPREAD(SKEW_ANYWAY(ZONE, 1, "app: web")) ", " AFFINITY(
                   PREFER_NODE(PREFER_TERM(1, IN(ZONE, "a")) ", " PREFER_TERM(2, IN(ZONE, "b"))) ", " PREFER_NEAR(
                       PREFER_POD(1, ZONE, "app: db"))));
    world_pods(w, .name = "terms", .requests = "cpu: 1",
               .spec = AFFINITY(NODE(TERM(IN(ZONE, "a")) ", " TERM(IN(ZONE, "b")))));

    prepared = prepare(w);

    assert_int_equal(prepared->solver.classes.classes.items[0].relaxations, 5); // itself, 1 near, 2 node, 1 spread
    assert_int_equal(prepared->solver.classes.classes.items[1].relaxations, 1);
    assert_int_equal(prepared->solver.classes.classes.items[2].relaxations, 2);
    release(prepared);
}

// All of them, and none. Others when they are asked for, once each.
TEST_F(World, w, variants_by_what_is_kept_where_preferences_are_weighed) {
    Prepared *prepared;
    PodClass *class;
    uint32_t light;

    world_weigh_preferences(w);
    world_pods(w, .name = "picky", .labels = "app: web", .requests = "cpu: 2",
               .spec = SPREAD(SKEW_ANYWAY(ZONE, 1, "app: web")) ", " AFFINITY(
                   NODE_BOTH(TERM(IN(ARCH, "amd64")) ", " TERM(IN(ARCH, "arm64")),
                             PREFER_TERM(1, IN(ZONE, "a")) ", " PREFER_TERM(60, IN(ZONE, "b")))));

    prepared = prepare(w);
    class = &prepared->solver.classes.classes.items[0];
    assert_int_equal(class->preferred.count, 3);
    assert_int_equal(class->preferred.items[0].weight, 60);
    assert_int_equal(class->preferred.items[1].kind, RULE_SPREAD);
    assert_int_equal(class->variants.count, 4); // of two terms each
    light = class_variant_keeping(class, preferred_rule_bit(2));

    assert_int_equal(light, 4);
    assert_int_equal(class_variant_keeping(class, preferred_rule_bit(2)), 4);
    assert_int_equal(class->variants.count, 6);
    assert_int_equal(class_variant(class, 0)->groups.count, 1);
    assert_int_equal(class_variant(class, light)->groups.count, 0);
    assert_int_equal(class_variant_keeping(class, 0), 2);
    assert_ptr_equal(class_last_variant(class), &class->variants.items[3]);
    release(prepared);
}

TEST_F(World, w, launch_order_without_preferences_under_ignore) {
    Prepared *prepared;
    world_ignore_preferences(w);
    world_pods(w, .name = "picky", .labels = "app: web", .requests = "cpu: 2",
               .spec =
                   SPREAD(SKEW_ANYWAY(ZONE, 1, "app: web")) ", " AFFINITY(PREFER_NODE(PREFER_TERM(1, IN(ZONE, "a")))));

    prepared = prepare(w);

    assert_int_equal(prepared->solver.classes.classes.items[0].variants.count, 1);
    release(prepared);
}
