// Floors of linear programs that know how many pods spreads bind to each domain.
#include "harness/test.h"
#include "sched/packing/lp_plan.h"
#include "sched/prepare.h"
#include "sched/support/world_plan.h"

#include <math.h>

// The floor of all pods; 0: no spread binds pods to domains.
static double floor_with(World *world, bool settled) {
    Arena arena = {0};
    Solver solver;
    LpPlan lp_plan;
    PackPlaced placed;
    uint32_t *pods;
    bool *has_settled;
    double floor;

    world_plan(world);
    solver_init(&solver, &arena, world_input(world));
    pods = arena_array(&arena, uint32_t, solver.classes.classes.count);
    for (uint32_t i = 0; i < solver.classes.classes.count; i++)
        pods[i] = solver.classes.classes.items[i].count;
    has_settled = arena_array(&arena, bool, solver.topology.groups.count);
    for (uint32_t i = 0; i < solver.topology.groups.count; i++)
        has_settled[i] = settled;
    placed = (PackPlaced){pods, has_settled};
    lp_plan_make(&lp_plan, &arena, &solver, &placed);
    lp_plan_prove(&lp_plan, EFFORT_BEST);
    floor = lp_plan.proof.value;
    arena_free(&arena);
    return floor;
}

static void assert_floor(double floor, double expected) {
    if (fabs(floor - expected) > 1e-4 * expected)
        fail_msg("the floor is $%.6f, expected $%.6f", floor, expected);
}

// A node has room for one pod, and costs twice as much on demand.
static void add_types(World *world) {
    world_type(world, .name = "one", .capacity = "cpu: 2, memory: 8Gi, pods: 20", .zones = "");
    world_offering(world, .type = "one", .zone = "a", .capacity_type = "spot", .price = 0.1);
    world_offering(world, .type = "one", .zone = "a", .capacity_type = "on-demand", .price = 0.2);
    world_pool(world, .name = "default");
}

#define OVER_CAPACITY_TYPES(skew) SPREAD(SKEW(CAPACITY_TYPE, skew, "app: web", ""))

TEST_F(World, w, half_of_the_pods_must_be_on_demand) {
    add_types(w);
    world_pods(w, .name = "web", .count = 20, .labels = "app: web", .requests = "cpu: 1500m",
               .spec = OVER_CAPACITY_TYPES(1));
    assert_floor(floor_with(w, false), 10 * 0.1 + 10 * 0.2);
}

TEST_F(World, w, a_wider_skew_binds_fewer) {
    add_types(w);
    world_pods(w, .name = "web", .count = 20, .labels = "app: web", .requests = "cpu: 1500m",
               .spec = OVER_CAPACITY_TYPES(4));
    assert_floor(floor_with(w, false), 12 * 0.1 + 8 * 0.2);
}

TEST_F(World, w, a_spread_that_has_settled_binds_none) {
    add_types(w);
    world_pods(w, .name = "web", .count = 20, .labels = "app: web", .requests = "cpu: 1500m",
               .spec = OVER_CAPACITY_TYPES(1));
    assert_floor(floor_with(w, true), 0); // none is proved then
}

// Which of them are on demand is open.
TEST_F(World, w, pods_of_two_sizes_are_not_bound) {
    add_types(w);
    world_pods(w, .name = "web", .count = 10, .labels = "app: web", .requests = "cpu: 1500m",
               .spec = OVER_CAPACITY_TYPES(1));
    world_pods(w, .name = "big", .count = 10, .labels = "app: web", .requests = "cpu: 1600m",
               .spec = OVER_CAPACITY_TYPES(1));
    assert_floor(floor_with(w, false), 0);
}

// Room that is free on a node in the domain costs nothing.
TEST_F(World, w, nodes_that_exist_take_their_domains_pods) {
    add_types(w);
    world_node(w, .name = "node-1", .allocatable = "cpu: 8, memory: 32Gi, pods: 20",
               .labels = CAPACITY_TYPE ": on-demand, " ZONE ": a");
    world_pods(w, .name = "web", .count = 20, .labels = "app: web", .requests = "cpu: 1500m",
               .spec = OVER_CAPACITY_TYPES(1));
    assert_floor(floor_with(w, false), 10 * 0.1 + 5 * 0.2);
}
