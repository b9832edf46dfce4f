// Ruin and recreate: improvements that no smaller change finds, and what must not change.
#include "harness/test.h"
#include "sched/bin/home_pool.h"
#include "sched/place/marginal_state.h"
#include "sched/place/rebuild.h"
#include "sched/support/plan_check.h"
#include "sched/support/random_world.h"
#include "sched/support/solver_text.h"

#include <math.h>

AFTER_EACH(random_teardown);

static bool near(double a, double b) {
    return fabs(a - b) < 1e-9;
}

// Rebuilds these bins (NULL: all) many times; the number of improvements.
static uint32_t rebuild_often(Trial *trial, const uint32_t *numbers, uint32_t count) {
    Rebuild rebuild;
    U32Vec bins = {0};
    uint32_t gains = 0;

    marginal_renew(&trial->solver);
    rebuild_init(&rebuild, &trial->solver, class_home_weights(&trial->solver, trial->solver.arena));
    for (int i = 0; i < 200; i++) {
        bins.count = 0;
        for (uint32_t k = 0; k < (numbers ? count : trial->solver.bins.count); k++) {
            uint32_t number = numbers ? numbers[k] : k;

            if (rebuild_may_empty(&trial->solver.bins.items[number]))
                vec_push(&trial->arena, &bins, number);
        }
        gains += rebuild_add_dependents(&rebuild, &bins, 100) && rebuild_try(&rebuild, &bins);
    }
    rebuild_free(&rebuild);
    assert_counts_add_up(trial);
    return gains;
}

static uint32_t rebuild_all(Trial *trial) {
    return rebuild_often(trial, NULL, 0);
}

static Trial *begin_by_hand(World *w) {
    Trial *trial = trial_begin(w);

    trial_clear(trial);
    return trial;
}

// --- random worlds

static void rebuild_random(World *world, Random *random) {
    Trial *trial = trial_begin(world);
    double before;
    uint32_t placed;
    Plan plan;

    trial_place(trial, (Strategy)random_below(random, STRATEGY_PATTERNS));
    before = trial_price(trial);
    placed = trial_placed(trial);
    rebuild_all(trial);
    assert_true(trial_placed(trial) > placed || trial_price(trial) <= before + 1e-9);
    assert_true(trial_placed(trial) >= placed);
    plan = trial_plan(trial);
    assert_plan_holds(world, &plan);
    trial_end(trial);
}

TEST(rebuilt_plans_keep_every_rule) {
    each_random_world(60, RANDOM_ALL & ~RANDOM_LIMITS, rebuild_random);
    each_random_world(30, RANDOM_TOPOLOGY | RANDOM_NODES, rebuild_random);
    each_random_world(30, RANDOM_PORTS | RANDOM_NODES | RANDOM_RESERVED, rebuild_random);
}

// --- improvements

// A chain: the pod of 4 CPUs needs the first node, the pod there needs the second, and the pod there the third.
TEST_F(World, w, pods_push_each_other_out) {
    Trial *trial;

    world_node(w, .name = "n-1", .allocatable = "cpu: 4, memory: 8Gi, pods: 10");
    world_node(w, .name = "n-2", .allocatable = "cpu: 3, memory: 8Gi, pods: 10");
    world_node(w, .name = "n-3", .allocatable = "cpu: 2, memory: 8Gi, pods: 10");
    world_pods(w, .name = "four", .requests = "cpu: 4");
    world_pods(w, .name = "three", .requests = "cpu: 3");
    world_pods(w, .name = "two", .requests = "cpu: 2");
    trial = begin_by_hand(w);
    trial_put(trial, 0, "three");
    trial_put(trial, 1, "two");

    assert_int_equal(rebuild_often(trial, (uint32_t[]){0}, 1), 0);
    assert_int_equal(rebuild_often(trial, (uint32_t[]){1}, 1), 0);
    assert_int_equal(rebuild_often(trial, (uint32_t[]){0, 1}, 2), 1);
    assert_int_equal(trial_placed(trial), 3);
    assert_int_equal(trial_bin_of(trial, "two"), 2);
    trial_end(trial);
}

// A small pod that the heavy pool could serve joins the node that another pod needs in the light pool.
TEST_F(World, w, a_pod_joins_a_claim_of_a_lighter_pool) {
    Trial *trial;

    world_pool(w, .name = "heavy", .spec = "weight: 10");
    world_pool(w, .name = "light", .labels = "team: light");
    world_pods(w, .name = "host", .requests = "cpu: 3", .spec = SELECT("team: light"));
    world_pods(w, .name = "guest", .requests = "cpu: 1");
    trial = begin_by_hand(w);
    trial_open(trial, "heavy", "guest");
    trial_open(trial, "light", "host");
    assert_true(near(trial_price(trial), 0.06 + 0.12));

    rebuild_all(trial);
    assert_true(near(trial_price(trial), 0.12));
    assert_int_equal(trial_bin_of(trial, "guest"), trial_bin_of(trial, "host"));
    trial_end(trial);
}

// Zone b costs half. With two of three pods in a, the spread holds as well as with two in b.
TEST_F(World, w, the_domains_of_a_spread_are_dealt_again) {
    Trial *trial;

    world_type(w, .name = "only", .capacity = "cpu: 2, memory: 8Gi, pods: 1", .zones = "");
    world_offering(w, .type = "only", .zone = "a", .price = 1);
    world_offering(w, .type = "only", .zone = "b", .price = 0.5);
    world_pool(w, .name = "in-a", .requirements = IN(ZONE, "a"));
    world_pool(w, .name = "in-b", .requirements = IN(ZONE, "b"));
    world_pods(w, .name = "web", .count = 3, .labels = "app: web", .requests = "cpu: 1",
               .spec = SPREAD(SKEW(ZONE, 1, "app: web", "")));
    trial = begin_by_hand(w);
    trial_open(trial, "in-a", "web");
    trial_open(trial, "in-b", "web");
    trial_open(trial, "in-a", "web");
    assert_true(near(trial_price(trial), 2.5));

    rebuild_all(trial);
    assert_true(near(trial_price(trial), 2));
    assert_int_equal(trial_placed(trial), 3);
    trial_end(trial);
}

// A claim bound to a volume that is in two zones.
#define VOLUME_IN(w, name, one, other)                                                                                 \
    world_object((w), "apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: " name                            \
                      ", annotations: {pv.kubernetes.io/bind-completed: \"yes\"}}, spec: {volumeName: " name           \
                      "}, status: {phase: Bound}");                                                                    \
    world_object(                                                                                                      \
        (w), "apiVersion: v1, kind: PersistentVolume, metadata: {name: " name                                          \
             "}, spec: {csi: {driver: ebs.csi.aws.com, volumeHandle: v}, "                                             \
             "nodeAffinity: {required: {nodeSelectorTerms: [" TERM(IN(ZONE, one)) ", " TERM(IN(ZONE, other)) "]}}}")

// Each pod's volume is also in a zone that is cheaper for one pod than c, where both fit one node.
TEST_F(World, w, places_of_volumes_are_dealt_again) {
    Trial *trial;

    world_type(w, .name = "small", .capacity = "cpu: 2, memory: 8Gi, pods: 10", .zones = "");
    world_type(w, .name = "large", .capacity = "cpu: 4, memory: 8Gi, pods: 10", .zones = "");
    world_offering(w, .type = "small", .zone = "a", .price = 0.50);
    world_offering(w, .type = "small", .zone = "b", .price = 0.60);
    world_offering(w, .type = "large", .zone = "c", .price = 0.70);
    world_pool(w, .name = "default");
    VOLUME_IN(w, "left", "a", "c");
    VOLUME_IN(w, "right", "b", "c");
    world_pods(w, .name = "left", .requests = "cpu: 1", .spec = CLAIMS("left"));
    world_pods(w, .name = "right", .requests = "cpu: 1", .spec = CLAIMS("right"));
    trial = begin_by_hand(w);
    trial_open(trial, "default", "left");
    trial_open(trial, "default", "right");
    random_seed(&trial->solver.random, 1);
    assert_true(near(trial_price(trial), 1.1));

    rebuild_all(trial);
    assert_true(near(trial_price(trial), 0.7));
    trial_end(trial);
}

// A pod requires on-demand or the small type; by the second term it may be on spot.
TEST_F(World, w, another_term_of_node_affinity_is_cheaper) {
    Trial *trial;

    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .requests = "cpu: 1",
               .spec =
                   AFFINITY(NODE(TERM(IN(CAPACITY_TYPE, "on-demand")) ", " TERM(IN(INSTANCE_TYPE, "small, medium")))));
    trial = begin_by_hand(w);
    trial_open(trial, "default", "web");
    assert_true(near(trial_price(trial), 0.1));

    rebuild_all(trial);
    assert_true(near(trial_price(trial), 0.06));
    trial_end(trial);
}

// The same, but the pod prefers on-demand, and a preference that is met stays met.
TEST_F(World, w, a_preference_that_is_met_stays_met) {
    Trial *trial;

    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .requests = "cpu: 1",
               .spec = AFFINITY(PREFER_NODE(PREFER_TERM(1, IN(CAPACITY_TYPE, "on-demand")))));
    trial = begin_by_hand(w);
    trial_open(trial, "default", "web");

    assert_int_equal(rebuild_all(trial), 0);
    assert_true(near(trial_price(trial), 0.1));
    trial_end(trial);
}

// The pool may have one node, and the two pods ask for different ones.
TEST_F(World, w, of_pods_of_one_priority_the_dearer_is_left_out) {
    Trial *trial;

    world_pool(w, .name = "default", .spec = "limits: {nodes: 1}");
    world_pods(w, .name = "dear", .requests = "cpu: 1", .spec = SELECT(INSTANCE_TYPE ": medium"));
    world_pods(w, .name = "cheap", .requests = "cpu: 1", .spec = SELECT(INSTANCE_TYPE ": small"));
    trial = begin_by_hand(w);
    trial_open(trial, "default", "dear");
    assert_true(near(trial_price(trial), 0.12));

    assert_true(rebuild_all(trial) > 0);
    assert_int_equal(trial_placed(trial), 1);
    assert_true(near(trial_price(trial), 0.06));
    trial_end(trial);
}

TEST_F(World, w, a_pod_of_higher_priority_is_never_left_out_for_a_cheaper_one) {
    Trial *trial;

    world_pool(w, .name = "default", .spec = "limits: {nodes: 1}");
    world_pods(w, .name = "dear", .requests = "cpu: 1", .spec = "priority: 1, " SELECT(INSTANCE_TYPE ": medium"));
    world_pods(w, .name = "cheap", .requests = "cpu: 1", .spec = SELECT(INSTANCE_TYPE ": small"));
    trial = begin_by_hand(w);
    trial_open(trial, "default", "dear");

    assert_int_equal(rebuild_all(trial), 0);
    assert_true(near(trial_price(trial), 0.12));
    trial_end(trial);
}

// The reserved node costs nothing, and the smaller pod has it at first.
TEST_F(World, w, a_reservation_goes_to_the_pod_that_saves_most) {
    Trial *trial;

    world_type(w, .name = "booked", .capacity = "cpu: 4, memory: 8Gi, pods: 10", .zones = "");
    world_offering(w, .type = "booked", .zone = "a", .capacity_type = "reserved", .price = 0, .reservation = "cr-1",
                   .count = 1);
    world_type(w, .name = "two", .capacity = "cpu: 2, memory: 8Gi, pods: 10", .price = 1);
    world_type(w, .name = "four", .capacity = "cpu: 4, memory: 8Gi, pods: 10", .price = 2);
    world_pool(w, .name = "default", .requirements = IN(CAPACITY_TYPE, "on-demand, reserved"));
    world_pods(w, .name = "small", .requests = "cpu: 2");
    world_pods(w, .name = "large", .requests = "cpu: 4");
    trial = begin_by_hand(w);
    trial_open(trial, "default", "small");
    trial_open(trial, "default", "large");
    assert_true(near(trial_price(trial), 2));

    rebuild_all(trial);
    assert_true(near(trial_price(trial), 1));
    assert_int_equal(trial->solver.reservations.items[0].left, 0);
    trial_end(trial);
}

#define WITH_PORT(name, cpu)                                                                                           \
    "apiVersion: apps/v1, kind: Deployment, metadata: {name: " name "}, spec: {replicas: 1, selector: {matchLabels: "  \
    "{app: " name "}}, template: {metadata: {labels: {app: " name "}}, spec: {containers: [{name: c, image: i, "       \
    "resources: {requests: {cpu: " cpu "}}, ports: [{containerPort: 80, hostPort: 8080}]}]}}}"

// Two pods with one host port exchange places with other pods on their nodes.
TEST_F(World, w, pods_with_host_ports_move) {
    Trial *trial;
    uint32_t first, second;

    world_pool(w, .name = "default");
    world_object(w, WITH_PORT("proxy", "3"));
    world_object(w, WITH_PORT("other", "1"));
    world_pods(w, .name = "web", .requests = "cpu: 3");
    world_pods(w, .name = "api", .requests = "cpu: 4");
    trial = begin_by_hand(w);
    first = trial_open(trial, "default", "proxy");
    trial_put(trial, first, "web"); // 6 CPUs
    second = trial_open(trial, "default", "other");
    trial_put(trial, second, "api"); // 5 CPUs
    assert_true(near(trial_price(trial), 0.48));

    rebuild_all(trial);
    assert_true(near(trial_price(trial), 0.36)); // 3 CPUs and 8, 4 and 7, or 4, 4 and 3
    trial_end(trial);
}

#define SHARED_VOLUME(w, name)                                                                                         \
    world_object((w), "apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast}, provisioner: "       \
                      "ebs.csi.aws.com, volumeBindingMode: WaitForFirstConsumer");                                     \
    world_object((w), "apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: " name                            \
                      "}, spec: {storageClassName: fast, accessModes: [ReadWriteMany]}")

// Each type attaches one volume: the two pods that share a volume fit on one node, and the third needs its own node.
TEST_F(World, w, pods_that_share_a_volume_move) {
    Trial *trial;
    uint32_t first;

    world_type(w, .name = "only", .capacity = "cpu: 4, memory: 8Gi, pods: 10", .price = 1,
               .volume_limits = "ebs.csi.aws.com: 1");
    world_pool(w, .name = "default", .requirements = IN(CAPACITY_TYPE, "on-demand"));
    SHARED_VOLUME(w, "data");
    world_pods(w, .name = "web", .requests = "cpu: 1", .spec = CLAIMS("data"));
    world_pods(w, .name = "api", .requests = "cpu: 2", .spec = CLAIMS("data"));
    world_pods(w, .name = "other", .requests = "cpu: 3");
    trial = begin_by_hand(w);
    first = trial_open(trial, "default", "other");
    trial_put(trial, first, "web");
    trial_open(trial, "default", "api");
    assert_int_equal(rebuild_all(trial), 0); // two nodes are needed anyway
    trial_clear(trial);
    trial_open(trial, "default", "other");
    trial_open(trial, "default", "web");
    trial_open(trial, "default", "api");

    assert_true(rebuild_all(trial) > 0);
    assert_true(near(trial_price(trial), 2));
    trial_end(trial);
}

// The pod with the shared volume is on the only node with an ssd. A volume that a bound pod uses stays attached; one
// that nobody uses any more leaves its attachment to others.
TEST_F(World, w, a_pod_with_a_shared_volume_leaves_its_node) {
    Trial *trial;

    world_node(w, .name = "any", .allocatable = "cpu: 2, memory: 8Gi, pods: 10");
    world_node(w, .name = "ssd", .labels = "disk: ssd", .allocatable = "cpu: 3, memory: 8Gi, pods: 10");
    SHARED_VOLUME(w, "data");
    world_pods(w, .name = "bound", .requests = "cpu: 1", .spec = CLAIMS("data"), .node = "ssd");
    world_pods(w, .name = "web", .requests = "cpu: 2", .spec = CLAIMS("data"));
    world_pods(w, .name = "db", .requests = "cpu: 2", .spec = SELECT("disk: ssd"));
    trial = begin_by_hand(w);
    trial_put(trial, 1, "web"); // by name, "any" is the first

    rebuild_all(trial);
    assert_int_equal(trial_placed(trial), 2);
    assert_int_equal(trial_bin_of(trial, "db"), 1);
    assert_int_equal(trial_bin_of(trial, "web"), 0);
    assert_int_equal(trial->solver.bins.items[0].claims.count, 1);
    assert_int_equal(trial->solver.bins.items[1].claims.count, 1);
    trial_end(trial);
}

// There may not be more claims with lowered minValues than before.
TEST_F(World, w, no_more_claims_with_lowered_min_values_than_before) {
    Trial *trial;

    world_pool(w, .name = "default", .requirements = MIN_VALUES(INSTANCE_TYPE, "small, medium, large", "2"));
    world_best_effort(w);
    world_pods(w, .name = "web", .requests = "cpu: 5");
    world_pods(w, .name = "api", .requests = "cpu: 3");
    trial = begin_by_hand(w);
    trial_open(trial, "default", "web"); // only the large type
    trial_open(trial, "default", "api");
    assert_true(near(trial_price(trial), 0.24 + 0.12));

    rebuild_all(trial);
    assert_true(near(trial_price(trial), 0.24));
    assert_true(vec_last(&trial->solver.bins)->min_values_relaxed);
    trial_end(trial);
}

// --- pods without a place

// The pod on the node with an ssd could be on any node.
TEST_F(World, w, a_pod_makes_room_for_one_that_can_go_nowhere_else) {
    Trial *trial;

    world_node(w, .name = "ssd", .labels = "disk: ssd", .allocatable = "cpu: 2, memory: 8Gi, pods: 10");
    world_node(w, .name = "any", .allocatable = "cpu: 2, memory: 8Gi, pods: 10");
    world_pods(w, .name = "web", .requests = "cpu: 2");
    world_pods(w, .name = "db", .requests = "cpu: 2", .spec = SELECT("disk: ssd"));
    trial = begin_by_hand(w);
    trial_put(trial, 1, "web"); // by name, "any" is the first

    rebuild_all(trial);
    assert_int_equal(trial_placed(trial), 2);
    assert_int_equal(trial_bin_of(trial, "db"), 1);
    trial_end(trial);
}

TEST_F(World, w, the_last_room_is_for_the_higher_priority) {
    Trial *trial;

    world_node(w, .name = "only", .allocatable = "cpu: 2, memory: 8Gi, pods: 10");
    world_pods(w, .name = "low", .count = 2, .requests = "cpu: 1", .spec = "priority: 1");
    world_pods(w, .name = "high", .requests = "cpu: 2", .spec = "priority: 2");
    trial = begin_by_hand(w);
    trial_put(trial, 0, "low");
    trial_put(trial, 0, "low");

    rebuild_all(trial);
    assert_int_equal(trial_bin_of(trial, "high"), 0);
    assert_int_equal(trial_placed(trial), 1);
    assert_int_equal(rebuild_all(trial), 0); // and stays there
    trial_end(trial);
}

// --- pods that others rely on

// Pods with affinity to a pod that leaves are displaced with it.
TEST_F(World, w, pods_that_are_near_others_move_with_them) {
    Trial *trial;

    world_type(w, .name = "dear", .capacity = "cpu: 4, memory: 8Gi, pods: 10", .zones = "");
    world_offering(w, .type = "dear", .zone = "a", .price = 1);
    world_offering(w, .type = "dear", .zone = "b", .price = 0.5);
    world_pool(w, .name = "in-a", .requirements = IN(ZONE, "a"));
    world_pool(w, .name = "in-b", .requirements = IN(ZONE, "b"));
    world_pods(w, .name = "db", .labels = "app: db", .requests = "cpu: 3");
    world_pods(w, .name = "web", .requests = "cpu: 3", .spec = AFFINITY(NEAR(PODS(ZONE, "app: db", ""))));
    trial = begin_by_hand(w);
    trial_open(trial, "in-a", "db");
    trial_open(trial, "in-a", "web");
    assert_true(near(trial_price(trial), 2));

    assert_true(rebuild_often(trial, (uint32_t[]){0}, 1) > 0); // the other bin is added
    assert_true(near(trial_price(trial), 1));
    trial_end(trial);
}

// A claim whose types decided a count of a spread is not emptied.
TEST_F(World, w, dependents_that_cannot_move_keep_the_others) {
    Trial *trial;
    Rebuild rebuild;
    U32Vec bins = {0};

    world_pool(w, .name = "default");
    world_pods(w, .name = "db", .labels = "app: db", .requests = "cpu: 3");
    world_pods(w, .name = "web", .requests = "cpu: 3", .spec = AFFINITY(NEAR(PODS(ZONE, "app: db", ""))));
    trial = begin_by_hand(w);
    trial_open(trial, "default", "db");
    trial_open(trial, "default", "web");
    marginal_renew(&trial->solver);
    rebuild_init(&rebuild, &trial->solver, class_home_weights(&trial->solver, trial->solver.arena));
    trial->solver.bins.items[trial_bin_of(trial, "web")].decided = true;

    vec_push(&trial->arena, &bins, 0);
    assert_false(rebuild_add_dependents(&rebuild, &bins, 100));
    assert_false(rebuild_may_empty(&trial->solver.bins.items[1]));
    rebuild_free(&rebuild);
    trial_end(trial);
}
