// The floor of whole contents by columns. Each rule is tested with an input where it raises the floor; where its
// program may use fractions of contents, the floor that follows is named.
#include "harness/test.h"
#include "sched/contents/column_floor.h"
#include "sched/support/floor_of.h"

#include <math.h>
#include <stdio.h>

#define ON_DEMAND IN(CAPACITY_TYPE, "on-demand")

static void assert_floor(World *world, double expected) {
    double floor = floor_of_pending(world, column_floor, false);

    if (fabs(floor - expected) > 1e-3 * expected)
        fail_msg("the floor is $%.6f, expected $%.6f", floor, expected);
}

// --- numbers of nodes are whole

TEST_F(World, w, half_a_node_is_a_node) {
    world_pool(w, .name = "default", .requirements = IN(INSTANCE_TYPE, "small") ", " ON_DEMAND);
    world_pods(w, .name = "web", .count = 61, .requests = "cpu: 900m"); // too many for contents that are written down
    assert_floor(w, 3.1);
}

// An arm node holds three of its pods: nodes of a type are counted apart from others.
TEST_F(World, w, nodes_of_a_type_are_whole_beside_others) {
    world_pool(w, .name = "default", .types = "small arm", .requirements = ON_DEMAND);
    world_pods(w, .name = "arm", .count = 7, .requests = "cpu: 4900m", .spec = SELECT(ARCH ": arm64"));
    world_pods(w, .name = "web", .count = 20, .requests = "cpu: 1900m", .spec = SELECT(ARCH ": amd64"));
    assert_floor(w, 3 * 0.9 + 20 * 0.1);
}

// --- rules of a node

TEST_F(World, w, pods_that_keep_apart_have_a_node_each) {
    world_pool(w, .name = "default", .requirements = ON_DEMAND);
    world_pods(w, .name = "web", .count = 30, .labels = "app: web", .requests = "cpu: 100m",
               .spec = AFFINITY(APART(PODS(HOST, "app: web", ""))));
    assert_floor(w, 3);
}

TEST_F(World, w, a_host_spread_allows_so_many_on_a_node) {
    world_pool(w, .name = "default", .requirements = ON_DEMAND);
    world_pods(w, .name = "web", .count = 31, .labels = "app: web", .requests = "cpu: 100m",
               .spec = SPREAD(SKEW(HOST, 2, "app: web", "")));
    assert_floor(w, 1.6);
}

// Thirteen cheap nodes would hold all of the pods.
TEST_F(World, w, a_node_of_a_lighter_pool_holds_one_that_may_open_it) {
    world_pool(w, .name = "dear", .types = "arm", .requirements = ON_DEMAND, .spec = "weight: 10");
    world_pool(w, .name = "cheap", .types = "small", .requirements = ON_DEMAND);
    world_pods(w, .name = "amd", .count = 4, .requests = "cpu: 900m", .spec = SELECT(ARCH ": amd64"));
    world_pods(w, .name = "web", .count = 22, .requests = "cpu: 900m");
    assert_floor(w, 3 * 0.1 + 2 * 0.9); // ten fit on a dear node, and two find room beside those that may open
}

// --- rules between nodes

// Zone c is ten times as expensive.
static void dear_zone(World *w) {
    world_type(w, .name = "t", .capacity = "cpu: 2, memory: 4Gi, pods: 10", .zones = "a b", .price = 0.1,
               .capacity_types = "on-demand");
    world_offering(w, .type = "t", .zone = "c", .price = 1, .capacity_type = "on-demand");
    world_pool(w, .name = "default");
}

TEST_F(World, w, a_spread_of_mixed_sizes_uses_the_expensive_zone) {
    dear_zone(w);
    world_pods(w, .name = "web", .count = 15, .labels = "app: web", .requests = "cpu: 1200m",
               .spec = SPREAD(SKEW(ZONE, 1, "app: web", "")));
    world_pods(w, .name = "big", .count = 15, .labels = "app: web", .requests = "cpu: 1900m",
               .spec = SPREAD(SKEW(ZONE, 1, "app: web", "")));
    assert_floor(w, 10 * 1 + 20 * 0.1);
}

TEST_F(World, w, a_spread_that_has_settled_counts_no_domain) {
    dear_zone(w);
    world_pods(w, .name = "web", .count = 30, .labels = "app: web", .requests = "cpu: 1200m",
               .spec = SPREAD(SKEW(ZONE, 1, "app: web", "")));
    assert_true(fabs(floor_of_pending(w, column_floor, true) - 3) < 3e-3);
}

TEST_F(World, w, affinity_over_zones_holds_pods_in_one) {
    world_type(w, .name = "t", .capacity = "cpu: 2, memory: 4Gi, pods: 10", .zones = "a", .price = 0.1,
               .capacity_types = "on-demand");
    world_offering(w, .type = "t", .zone = "c", .price = 1, .capacity_type = "spot");
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .count = 10, .labels = "app: web", .requests = "cpu: 1200m",
               .spec = AFFINITY(NEAR(PODS(ZONE, "app: web", ""))));
    world_pods(w, .name = "job", .labels = "app: web", .requests = "cpu: 1200m",
               .spec = SELECT(CAPACITY_TYPE ": spot") ", " AFFINITY(NEAR(PODS(ZONE, "app: web", ""))));
    assert_floor(w, 11);
}

// --- pools

// Ten nodes are all that the cheap pool may have.
TEST_F(World, w, a_limit_is_kept) {
    world_pool(w, .name = "cheap", .types = "small", .requirements = ON_DEMAND, .spec = "limits: {cpu: 20}");
    world_pool(w, .name = "dear", .types = "arm", .requirements = ON_DEMAND);
    world_pods(w, .name = "web", .count = 30, .requests = "cpu: 1900m");
    assert_floor(w, 6 * 0.1 + 3 * 0.9); // an arm node holds eight
}

TEST_F(World, w, a_limit_that_is_far_costs_nothing) {
    world_pool(w, .name = "cheap", .types = "small", .requirements = ON_DEMAND, .spec = "limits: {cpu: 100}");
    world_pool(w, .name = "dear", .types = "arm", .requirements = ON_DEMAND);
    world_pods(w, .name = "web", .count = 30, .requests = "cpu: 1900m");
    assert_floor(w, 3);
}

// Two types of the pool hold one pod, one holds two.
TEST_F(World, w, min_values_want_types_that_hold_the_pods) {
    world_pool(w, .name = "default", .types = "small medium",
               .requirements = MIN_VALUES(INSTANCE_TYPE, "small, medium", "2") ", " ON_DEMAND);
    world_pods(w, .name = "web", .count = 20, .requests = "cpu: 1900m");
    assert_floor(w, 2);
}

// --- nodes that exist

TEST_F(World, w, a_node_that_exists_takes_what_fits) {
    world_pool(w, .name = "default", .requirements = IN(INSTANCE_TYPE, "small") ", " ON_DEMAND);
    world_node(w, .name = "node", .allocatable = "cpu: 1900m, memory: 4Gi, pods: 10");
    world_pods(w, .name = "web", .count = 40, .requests = "cpu: 900m");
    assert_floor(w, 1.9);
}

// --- what is too large

TEST_F(World, w, too_many_kinds_of_pods_prove_nothing) {
    static char requests[40][32], names[40][16];

    world_pool(w, .name = "default");
    for (int i = 0; i < 40; i++) {
        snprintf(names[i], sizeof names[i], "web-%d", i);
        snprintf(requests[i], sizeof requests[i], "cpu: %dm", 100 + i);
        world_pods(w, .name = names[i], .requests = requests[i]);
    }
    assert_true(floor_of_pending(w, column_floor, false) == 0);
}
