// Limits of NodePools: claims are charged with the type that they are expected to become, and the limits hold whatever
// is launched. Reference scheduling.md 10 row 7. Other tests of limits: rows/test_pools.c.
#include "harness/test.h"
#include "sched/support/plan_check.h"
#include "sched/support/random_world.h"
#include "sched/support/solver_text.h"

#include <math.h>
#include <stdio.h>

AFTER_EACH(random_teardown);

#define WEB   "app: web"
#define ALONE AFFINITY(APART(PODS(HOST, WEB, "")))

// --- never too much

static void no_plan_may_exceed(World *world, Random *random) {
    (void)random;
    world_plan(world);
    for (Strategy strategy = 0; strategy < STRATEGY_COUNT; strategy++) {
        Plan plan = world_strategy(world, strategy);

        assert_plan_holds(world, &plan);
    }
}

TEST(limits_hold_whatever_is_launched) {
    each_random_world(300, RANDOM_LIMITS, no_plan_may_exceed);
}

TEST(limits_hold_beside_all_other_rules) {
    each_random_world(300, RANDOM_ALL, no_plan_may_exceed);
}

// After each strategy, what is left is the limit minus the charges.
static void charges_add_up(World *world, Random *random) {
    Trial *trial = trial_begin(world);

    (void)random;
    for (Strategy strategy = 0; strategy < STRATEGY_PATTERNS; strategy++) {
        trial_place(trial, strategy);
        assert_counts_add_up(trial);
        for (vec_each(const Pool, pool, &trial->solver.pools)) {
            for (uint32_t dim = 0; dim < trial->solver.classes.dimensions.count; dim++)
                assert_true(pool->left[dim] >= 0 || trial->initial.pools[pool->number].left[dim] < 0);
        }
    }
    trial_end(trial);
}

TEST(what_is_left_of_limits_is_what_was_not_charged) {
    each_random_world(150, RANDOM_LIMITS | RANDOM_POOLS | RANDOM_NODES, charges_add_up);
}

// --- all that there is

// Plans with each strategy alone; the least number of pods that one of them places.
static uint32_t fewest_placed(World *w) {
    uint32_t fewest = UINT32_MAX;

    world_plan(w);
    for (Strategy strategy = 0; strategy < STRATEGY_COUNT; strategy++) {
        Plan plan = world_strategy(w, strategy);

        assert_plan_holds(w, &plan);
        if (plan_pods(&plan) < fewest)
            fewest = plan_pods(&plan);
    }
    return fewest;
}

// Four small nodes have 8 CPUs. If the first claim were charged with the largest type that it may become (8 CPUs), no
// other could be opened.
TEST_F(World, w, a_limit_is_used_up_by_what_is_launched) {
    world_pool(w, .name = "default", .spec = "limits: {cpu: 8}");
    world_pods(w, .name = "web", .count = 4, .labels = WEB, .requests = "cpu: 1", .spec = ALONE);
    assert_int_equal(fewest_placed(w), 4);
    assert_pending(w, "");
    assert_claims(w, 4);
    assert_types(w, 0, "small"); // a larger type would exceed the limit
    assert_types(w, 3, "small");
}

TEST_F(World, w, one_more_than_the_limit_allows_is_left_over) {
    world_pool(w, .name = "default", .spec = "limits: {cpu: 9}");
    world_pods(w, .name = "web", .count = 5, .labels = WEB, .requests = "cpu: 1", .spec = ALONE);
    assert_int_equal(fewest_placed(w), 4);
    assert_pending_count(w, 1);
}

TEST_F(World, w, the_same_for_memory) {
    world_pool(w, .name = "default", .spec = "limits: {memory: 16Gi}");
    world_pods(w, .name = "web", .count = 5, .labels = WEB, .requests = "cpu: 1", .spec = ALONE);
    assert_int_equal(fewest_placed(w), 4); // 4 GiB each
    assert_pending_count(w, 1);
}

TEST_F(World, w, each_claim_is_one_node_of_the_limit) {
    world_pool(w, .name = "default", .spec = "limits: {nodes: 3}");
    world_pods(w, .name = "web", .count = 5, .labels = WEB, .requests = "cpu: 1", .spec = ALONE);
    assert_int_equal(fewest_placed(w), 3);
    assert_pending_count(w, 2);
}

// While limits are not near, claims keep larger types, for the case that small ones are not available.
TEST_F(World, w, far_limits_leave_the_types_open) {
    world_pool(w, .name = "default", .spec = "limits: {cpu: 1000}");
    world_pods(w, .name = "web", .requests = "cpu: 1");
    world_plan(w);
    assert_types(w, 0, "small medium large huge arm");
}

// A limit of 6 CPUs allows a medium and a small node, or three small ones, but no large one.
TEST_F(World, w, a_claim_does_not_grow_past_the_limit) {
    world_pool(w, .name = "default", .spec = "limits: {cpu: 6}");
    world_pods(w, .name = "web", .count = 6, .requests = "cpu: 1");
    assert_int_equal(fewest_placed(w), 6);
    assert_pending(w, "");
}

TEST_F(World, w, existing_nodes_are_charged_first) {
    world_pool(w, .name = "default", .spec = "limits: {cpu: 8}");
    world_node(w, .name = "n-1", .allocatable = "cpu: 4, memory: 8Gi, pods: 1", .pool = "default");
    world_pods(w, .name = "there", .node = "n-1");
    world_pods(w, .name = "web", .count = 3, .labels = WEB, .requests = "cpu: 1", .spec = ALONE);
    assert_int_equal(fewest_placed(w), 2);
}

TEST_F(World, w, what_one_pool_may_not_open_another_does) {
    world_pool(w, .name = "first", .spec = "weight: 10, limits: {cpu: 4}");
    world_pool(w, .name = "second");
    world_pods(w, .name = "web", .count = 5, .labels = WEB, .requests = "cpu: 1", .spec = ALONE);
    assert_int_equal(fewest_placed(w), 5);
    assert_pending(w, "");
    assert_domains(w, "karpenter.sh/nodepool", "app=web", "first=2 second=3");
}

// --- improvement

// Splitting the large node would be cheaper, but exceed the limit of nodes.
TEST_F(World, w, improvement_opens_no_more_nodes_than_the_limit) {
    Plan plan;

    world_type(w, .name = "third", .capacity = "cpu: 6, memory: 32Gi, pods: 20", .price = 0.3);
    world_type(w, .name = "giant", .capacity = "cpu: 16, memory: 64Gi, pods: 40", .price = 1.5);
    world_pool(w, .name = "default", .requirements = IN(CAPACITY_TYPE, "on-demand"), .spec = "limits: {nodes: 2}");
    world_pods(w, .name = "web", .count = 16, .requests = "cpu: 1");
    world_plan(w);

    plan = world_search(w, (PlanSearch){.strategies = 1U << STRATEGY_FIRST_FIT});
    assert_plan_holds(w, &plan);
    assert_int_equal(plan_pods(&plan), 16);
    assert_true(plan.claims.count <= 2);
    plan = world_effort(w, EFFORT_BEST);
    assert_plan_holds(w, &plan);
    assert_int_equal(plan_pods(&plan), 16);
}

// Pods with affinity to pods that would use up a pool's limits on small nodes are placed too: on fewer, larger nodes.
TEST_F(World, w, a_limited_pool_keeps_room_for_pods_with_affinity) {
    world_pool(w, .name = "first", .spec = "weight: 10, limits: {memory: 32Gi}");
    world_pool(w, .name = "second");
    world_pods(w, .name = "side", .count = 4, .labels = "app: side", .requests = "cpu: 400m, memory: 256Mi",
               .spec = SPREAD(SKEW(HOST, 1, "app: side", "")));
    world_pods(w, .name = "web", .count = 5, .labels = WEB, .requests = "cpu: 1600m, memory: 4160Mi",
               .spec = AFFINITY(NEAR(PODS(HOST, "app: side", ""))));
    world_plan(w);
    assert_pending(w, "");
}

// --- minValues

#define TWO_TYPES MIN_VALUES(INSTANCE_TYPE, "small, medium, large, huge", "2")

// Of the four types the claim needs two, so a launch is at most medium: 4 CPUs.
TEST_F(World, w, min_values_are_charged_with_the_smallest_types_that_suffice) {
    Trial *trial;
    const Solver *solver;
    uint32_t cpu;

    world_pool(w, .name = "default", .requirements = TWO_TYPES, .spec = "limits: {cpu: 40}");
    world_pods(w, .name = "web", .requests = "cpu: 1");
    trial = trial_begin(w);
    trial_clear(trial);
    trial_open(trial, "default", "web");
    solver = &trial->solver;
    cpu = dimension_of(&solver->classes.dimensions, NAME_CPU);
    assert_int_equal(solver->pools.items[0].left[cpu], 36000);
    trial_end(trial);
}

TEST_F(World, w, min_values_fill_a_limit) {
    world_pool(w, .name = "default", .requirements = TWO_TYPES, .spec = "limits: {cpu: 12}");
    world_pods(w, .name = "web", .count = 4, .labels = WEB, .requests = "cpu: 1", .spec = ALONE);
    assert_int_equal(fewest_placed(w), 3);
    assert_types(w, 0, "small medium");
}

TEST_F(World, w, best_effort_gives_up_values_before_pods_are_left_over) {
    Plan plan;

    world_best_effort(w);
    world_pool(w, .name = "default", .requirements = TWO_TYPES, .spec = "limits: {cpu: 4}");
    world_pods(w, .name = "web", .count = 2, .labels = WEB, .requests = "cpu: 1", .spec = ALONE);
    world_plan(w);
    plan = world_effort(w, EFFORT_FAST);
    assert_int_equal(plan_pods(&plan), 2);
    assert_plan_holds(w, &plan);
}

// A pod that fits nowhere makes the strategies try with limits charged with the largest types: the heavy pool then
// opens one node, and the light one is cheaper.
TEST_F(World, w, a_heavier_pool_is_filled_before_a_cheaper_plan_passes_it_by) {
    world_pool(w, .name = "heavy", .requirements = IN(CAPACITY_TYPE, "on-demand"),
               .spec = "weight: 10, limits: {cpu: 16}");
    world_pool(w, .name = "light");
    world_pods(w, .name = "vast", .requests = "cpu: 1000");
    world_pods(w, .name = "web", .count = 4, .requests = "cpu: 3500m");

    world_plan(w);

    assert_pending(w, "vast");
    assert_pool(w, 0, "heavy");
    assert_true(fabs(world_effort(w, EFFORT_NORMAL).price_per_hour - 0.8) < 1e-9);
}
