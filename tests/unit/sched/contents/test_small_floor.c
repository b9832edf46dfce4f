// The floor of small inputs. Each rule is tested with an input where it raises the floor and one where it must not.
#include "harness/test.h"
#include "sched/support/floor_of.h"

#include <math.h>

#define ON_DEMAND IN(CAPACITY_TYPE, "on-demand")

// The floor of all pending pods, by whole contents alone; 0: none.
static double floor_with(World *world, bool settled) {
    return floor_of_pending(world, small_floor, settled);
}

static void assert_floor(World *world, double expected) {
    double floor = floor_with(world, false);

    if (fabs(floor - expected) > 1e-4 * expected)
        fail_msg("the floor is $%.6f, expected $%.6f", floor, expected);
}

// --- whole nodes

TEST_F(World, w, nodes_are_not_fractional) {
    world_pool(w, .name = "default", .requirements = IN(INSTANCE_TYPE, "small") ", " ON_DEMAND);
    world_pods(w, .name = "web", .count = 3, .requests = "cpu: 1200m"); // 1.8 nodes by CPU
    assert_floor(w, 0.3);
}

TEST_F(World, w, pods_that_fit_together_share_a_node) {
    world_pool(w, .name = "default", .requirements = IN(INSTANCE_TYPE, "small") ", " ON_DEMAND);
    world_pods(w, .name = "web", .count = 3, .requests = "cpu: 900m");
    assert_floor(w, 0.2);
}

// --- nodes that exist

TEST_F(World, w, a_node_that_exists_takes_what_fits) {
    world_pool(w, .name = "default", .requirements = IN(INSTANCE_TYPE, "small") ", " ON_DEMAND);
    world_node(w, .name = "node", .allocatable = "cpu: 1900m, memory: 4Gi, pods: 10");
    world_pods(w, .name = "web", .count = 4, .requests = "cpu: 900m");
    assert_floor(w, 0.1);
}

// Half of the free CPUs are on a tainted node, the others on nodes with too little left.
TEST_F(World, w, room_that_no_pod_may_use_is_worth_nothing) {
    world_pool(w, .name = "default", .requirements = IN(INSTANCE_TYPE, "small") ", " ON_DEMAND);
    world_node(w, .name = "kept", .allocatable = "cpu: 4, memory: 8Gi, pods: 10",
               .taints = "{key: kept, effect: NoSchedule}");
    for (int i = 0; i < 4; i++)
        world_node(w, .name = (const char *[]){"a", "b", "c", "d"}[i],
                   .allocatable = "cpu: 800m, memory: 4Gi, pods: 10");
    world_pods(w, .name = "web", .count = 4, .requests = "cpu: 900m");
    assert_floor(w, 0.2);
}

TEST_F(World, w, a_pod_that_runs_there_keeps_others_off_its_node) {
    world_pool(w, .name = "default", .requirements = IN(INSTANCE_TYPE, "small") ", " ON_DEMAND);
    world_node(w, .name = "node");
    world_pods(w, .name = "db", .labels = "app: db", .node = "node");
    world_pods(w, .name = "web", .count = 2, .requests = "cpu: 900m",
               .spec = AFFINITY(APART(PODS(HOST, "app: db", ""))));
    assert_floor(w, 0.1);
}

// --- rules of hosts

TEST_F(World, w, workloads_that_keep_apart_do_not_share) {
    world_pool(w, .name = "default", .requirements = ON_DEMAND);
    world_pods(w, .name = "db", .labels = "app: db", .requests = "cpu: 900m");
    world_pods(w, .name = "web", .requests = "cpu: 900m", .spec = AFFINITY(APART(PODS(HOST, "app: db", ""))));
    assert_floor(w, 0.2);
}

TEST_F(World, w, a_preference_to_keep_apart_costs_nothing) {
    world_pool(w, .name = "default", .requirements = ON_DEMAND);
    world_pods(w, .name = "db", .labels = "app: db", .requests = "cpu: 900m");
    world_pods(w, .name = "web", .requests = "cpu: 900m",
               .spec = AFFINITY(PREFER_APART(PREFER_POD(1, HOST, "app: db"))));
    assert_floor(w, 0.1);
}

TEST_F(World, w, pods_with_one_host_port_have_a_node_each) {
    world_pool(w, .name = "default", .requirements = ON_DEMAND);
    world_object(w, "apiVersion: v1, kind: Pod, metadata: {name: a, namespace: default, uid: a}, spec: {containers: "
                    "[{name: c, image: i, ports: [{containerPort: 80, hostPort: 80}]}]}, status: {phase: Pending, "
                    "conditions: [{type: PodScheduled, status: \"False\", reason: Unschedulable}]}");
    world_object(w, "apiVersion: v1, kind: Pod, metadata: {name: b, namespace: default, uid: b}, spec: {containers: "
                    "[{name: c, image: i, ports: [{containerPort: 80, hostPort: 80}]}]}, status: {phase: Pending, "
                    "conditions: [{type: PodScheduled, status: \"False\", reason: Unschedulable}]}");
    assert_floor(w, 0.2);
}

TEST_F(World, w, a_host_spread_allows_so_many_on_a_node) {
    world_pool(w, .name = "default", .requirements = ON_DEMAND);
    world_pods(w, .name = "web", .count = 5, .labels = "app: web", .requests = "cpu: 100m",
               .spec = SPREAD(SKEW(HOST, 2, "app: web", "")));
    assert_floor(w, 0.3);
}

TEST_F(World, w, pods_with_affinity_to_each_other_share_one_node) {
    world_type(w, .name = "small", .capacity = "cpu: 2, memory: 4Gi, pods: 10", .price = 0.1);
    world_type(w, .name = "large", .capacity = "cpu: 8, memory: 16Gi, pods: 10", .price = 1);
    world_pool(w, .name = "default", .requirements = ON_DEMAND);
    world_pods(w, .name = "web", .count = 3, .labels = "app: web", .requests = "cpu: 900m",
               .spec = AFFINITY(NEAR(PODS(HOST, "app: web", ""))));
    assert_floor(w, 1);
}

TEST_F(World, w, targets_of_affinity_may_be_on_several_nodes) {
    world_type(w, .name = "small", .capacity = "cpu: 2, memory: 4Gi, pods: 10", .price = 0.1);
    world_type(w, .name = "large", .capacity = "cpu: 8, memory: 16Gi, pods: 10", .price = 1);
    world_pool(w, .name = "default", .requirements = ON_DEMAND);
    world_pods(w, .name = "db", .count = 2, .labels = "app: db", .requests = "cpu: 900m");
    world_pods(w, .name = "web", .count = 2, .requests = "cpu: 900m",
               .spec = AFFINITY(NEAR(PODS(HOST, "app: db", ""))));
    assert_floor(w, 0.2);
}

// --- rules between nodes

// Makes zone c ten times as expensive.
static void dear_zone(World *w, const char *capacity_type) {
    world_type(w, .name = "t", .capacity = "cpu: 2, memory: 4Gi, pods: 10", .zones = "a b", .price = 0.1,
               .capacity_types = "on-demand");
    world_offering(w, .type = "t", .zone = "c", .price = 1, .capacity_type = capacity_type);
    world_pool(w, .name = "default");
}

TEST_F(World, w, a_spread_over_zones_uses_the_expensive_zone) {
    dear_zone(w, "on-demand");
    world_pods(w, .name = "web", .count = 3, .labels = "app: web", .requests = "cpu: 1200m",
               .spec = SPREAD(SKEW(ZONE, 1, "app: web", "")));
    assert_floor(w, 1.2);
}

// The running pods are in two zones already.
TEST_F(World, w, a_spread_that_running_pods_fill_costs_nothing) {
    dear_zone(w, "on-demand");
    world_node(w, .name = "node", .labels = "topology.kubernetes.io/zone: c",
               .allocatable = "cpu: 100m, memory: 1Gi, pods: 2");
    world_pods(w, .name = "old", .count = 2, .labels = "app: web", .node = "node");
    world_pods(w, .name = "web", .count = 3, .labels = "app: web", .requests = "cpu: 1200m",
               .spec = SPREAD(SKEW(ZONE, 1, "app: web", "")));
    assert_floor(w, 0.3);
}

TEST_F(World, w, a_spread_that_has_settled_counts_no_domain) {
    dear_zone(w, "on-demand");
    world_pods(w, .name = "web", .count = 3, .labels = "app: web", .requests = "cpu: 1200m",
               .spec = SPREAD(SKEW(ZONE, 1, "app: web", "")));
    assert_true(fabs(floor_with(w, true) - 0.3) < 1e-4);
}

TEST_F(World, w, a_spread_that_need_not_hold_costs_nothing) {
    dear_zone(w, "on-demand");
    world_ignore_preferences(w);
    world_pods(w, .name = "web", .count = 3, .labels = "app: web", .requests = "cpu: 1200m",
               .spec = SPREAD(SKEW_ANYWAY(ZONE, 1, "app: web")));
    assert_floor(w, 0.3);
}

TEST_F(World, w, a_spread_over_capacity_types_reaches_on_demand) {
    world_pool(w, .name = "default", .types = "small");
    world_pods(w, .name = "web", .count = 4, .labels = "app: web", .requests = "cpu: 1200m",
               .spec = SPREAD(SKEW(CAPACITY_TYPE, 1, "app: web", "")));
    assert_floor(w, 2 * 0.1 + 2 * 0.06);
}

TEST_F(World, w, anti_affinity_over_zones_leaves_one_pod_for_each) {
    dear_zone(w, "on-demand");
    world_pods(w, .name = "web", .count = 3, .labels = "app: web", .requests = "cpu: 100m",
               .spec = AFFINITY(APART(PODS(ZONE, "app: web", ""))));
    assert_floor(w, 1.2);
}

// One pod requires spot, which only zone c has, so both go there.
TEST_F(World, w, affinity_over_zones_holds_pods_in_one) {
    dear_zone(w, "spot");
    world_pods(w, .name = "web", .labels = "app: web", .requests = "cpu: 1200m",
               .spec = AFFINITY(NEAR(PODS(ZONE, "app: web", ""))));
    world_pods(w, .name = "job", .labels = "app: web", .requests = "cpu: 1200m",
               .spec = SELECT(CAPACITY_TYPE ": spot") ", " AFFINITY(NEAR(PODS(ZONE, "app: web", ""))));
    assert_floor(w, 2);
}

// --- pools

TEST_F(World, w, a_heavier_pool_is_paid_for) {
    world_pool(w, .name = "dear", .types = "arm", .requirements = ON_DEMAND, .spec = "weight: 10");
    world_pool(w, .name = "cheap", .types = "small", .requirements = ON_DEMAND);
    world_pods(w, .name = "web", .requests = "cpu: 1");
    assert_floor(w, 0.9);
}

// Terms of required node affinity are tried together, so the heaviest pool that any of them allows is the home.
TEST_F(World, w, a_heavier_pool_that_a_later_term_allows_is_paid_for) {
    world_pool(w, .name = "dear", .types = "arm", .requirements = ON_DEMAND, .spec = "weight: 10");
    world_pool(w, .name = "cheap", .types = "small", .requirements = ON_DEMAND);
    world_pods(w, .name = "web", .requests = "cpu: 1",
               .spec = AFFINITY(NODE(TERM(IN(ARCH, "amd64")) ", " TERM(IN(ARCH, "arm64")))));
    assert_floor(w, 0.9);
}

// A pod that may open the cheap node can be joined there by others.
TEST_F(World, w, pods_may_join_a_node_of_a_lighter_pool) {
    world_pool(w, .name = "dear", .types = "arm", .requirements = ON_DEMAND, .spec = "weight: 10");
    world_pool(w, .name = "cheap", .types = "small", .requirements = ON_DEMAND);
    world_pods(w, .name = "amd", .requests = "cpu: 1", .spec = SELECT(ARCH ": amd64"));
    world_pods(w, .name = "web", .requests = "cpu: 1");
    assert_floor(w, 0.1);
}

TEST_F(World, w, a_heavier_pool_with_limits_is_not_counted_on) {
    world_pool(w, .name = "dear", .types = "arm", .requirements = ON_DEMAND, .spec = "weight: 10, limits: {cpu: 8}");
    world_pool(w, .name = "cheap", .types = "small", .requirements = ON_DEMAND);
    world_pods(w, .name = "web", .requests = "cpu: 1");
    assert_floor(w, 0.1);
}

// On small nodes the three pods cost $0.30 and use 1.5 times the limit; on the large one they cost $0.90 and use none
// of it. The floor is between the two.
TEST_F(World, w, a_limit_has_a_price) {
    world_pool(w, .name = "cheap", .types = "small", .requirements = ON_DEMAND, .spec = "limits: {cpu: 4}");
    world_pool(w, .name = "dear", .types = "arm", .requirements = ON_DEMAND);
    world_pods(w, .name = "web", .count = 3, .requests = "cpu: 1200m");
    assert_floor(w, 0.5);
}

TEST_F(World, w, a_limit_that_is_far_costs_nothing) {
    world_pool(w, .name = "cheap", .types = "small", .requirements = ON_DEMAND, .spec = "limits: {cpu: 6}");
    world_pool(w, .name = "dear", .types = "arm", .requirements = ON_DEMAND);
    world_pods(w, .name = "web", .count = 3, .requests = "cpu: 1200m");
    assert_floor(w, 0.3);
}

// Two types of the pool hold one pod, one holds three.
TEST_F(World, w, min_values_want_types_that_hold_the_pods) {
    world_pool(w, .name = "cheap", .types = "small medium",
               .requirements = MIN_VALUES(INSTANCE_TYPE, "small, medium", "2") ", " ON_DEMAND);
    world_pool(w, .name = "dear", .types = "arm", .requirements = ON_DEMAND);
    world_pods(w, .name = "web", .requests = "cpu: 3");
    assert_floor(w, 0.9);
}

TEST_F(World, w, min_values_that_are_met_cost_nothing) {
    world_pool(w, .name = "cheap", .types = "small medium",
               .requirements = MIN_VALUES(INSTANCE_TYPE, "small, medium", "2") ", " ON_DEMAND);
    world_pool(w, .name = "dear", .types = "arm", .requirements = ON_DEMAND);
    world_pods(w, .name = "web", .requests = "cpu: 2");
    assert_floor(w, 0.1);
}

// A claim that is tied to a reservation lists the types that it is for.
TEST_F(World, w, min_values_want_types_of_a_reservation) {
    world_offering(w, .type = "small", .zone = "a", .capacity_type = "reserved", .price = 0.001, .reservation = "cr-1",
                   .count = 5);
    world_pool(w, .name = "default", .types = "small medium",
               .requirements = MIN_VALUES(INSTANCE_TYPE, "small, medium", "2"));
    world_pods(w, .name = "web", .requests = "cpu: 1");
    assert_floor(w, 0.06); // spot
}

// --- what is not small

TEST_F(World, w, too_many_contents_prove_nothing) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "a", .count = 12, .requests = "cpu: 100m");
    world_pods(w, .name = "b", .count = 12, .requests = "cpu: 110m");
    world_pods(w, .name = "c", .count = 12, .requests = "cpu: 120m");
    world_pods(w, .name = "d", .count = 12, .requests = "cpu: 130m");
    world_pods(w, .name = "e", .count = 12, .requests = "cpu: 140m");
    assert_true(floor_with(w, false) == 0);
}
