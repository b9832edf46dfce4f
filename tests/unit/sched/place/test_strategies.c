// The strategies, and which of their plans is taken. plan.h, docs/plan.md "Price".
#include "harness/test.h"
#include "sched/support/plan_check.h"
#include "sched/support/random_world.h"
#include "sched/support/trial.h"

#include <math.h>
#include <stdio.h>

AFTER_EACH(random_teardown);

// --- each alone

static void all_strategies_place_the_same_pods(World *world, Random *random) {
    (void)random;
    world_plan(world);
    for (Strategy strategy = 0; strategy < STRATEGY_COUNT; strategy++) {
        Plan plan = world_strategy(world, strategy);

        assert_plan_holds(world, &plan);
        assert_int_equal(plan_pods(&plan), world_input(world)->pending.count);
        assert_int_equal(plan.strategy, strategy);
    }
}

TEST(each_strategy_places_every_pod_where_nothing_is_scarce) {
    each_random_world(60, 0, all_strategies_place_the_same_pods);
    each_random_world(60, RANDOM_SELECTORS | RANDOM_NODES | RANDOM_PORTS, all_strategies_place_the_same_pods);
}

static void every_plan_holds(World *world, Random *random) {
    (void)random;
    assert_plan_holds(world, world_plan(world));
    for (Strategy strategy = 0; strategy < STRATEGY_COUNT; strategy++) {
        Plan plan = world_strategy(world, strategy);

        assert_plan_holds(world, &plan);
    }
}

TEST(each_strategy_keeps_every_rule) {
    each_random_world(200, RANDOM_ALL, every_plan_holds);
}

static void equal_input_gives_equal_plans(World *world, Random *random) {
    (void)random;
    world_plan(world);
    for (Strategy strategy = 0; strategy < STRATEGY_COUNT; strategy++) {
        Plan one = world_strategy(world, strategy), other = world_strategy(world, strategy);

        assert_string_equal(plan_text(world, &one), plan_text(world, &other));
    }
}

TEST(each_strategy_gives_equal_plans_for_equal_input) {
    each_random_world(40, RANDOM_ALL, equal_input_gives_equal_plans);
}

// --- how they differ

// Opens two claims for pods with anti-affinity, then adds small pods.
static void fill_two_nodes(World *w) {
    world_pool(w, .name = "default", .requirements = IN(INSTANCE_TYPE, "huge"));
    world_pods(w, .name = "large", .count = 2, .labels = "app: large", .requests = "cpu: 4",
               .spec = AFFINITY(APART(PODS(HOST, "app: large", ""))));
    world_pods(w, .name = "small", .count = 6, .requests = "cpu: 1");
    world_plan(w);
}

static uint32_t pods_on_first(const Plan *plan) {
    return plan->claims.items[0].pods.count;
}

TEST_F(World, w, first_fit_fills_the_first_node) {
    Plan plan;

    fill_two_nodes(w);
    plan = world_strategy(w, STRATEGY_FIRST_FIT);
    assert_int_equal(plan.claims.count, 2);
    assert_int_equal(pods_on_first(&plan), 7);
}

TEST_F(World, w, emptiest_first_balances) {
    Plan plan;

    fill_two_nodes(w);
    plan = world_strategy(w, STRATEGY_EMPTIEST_FIRST);
    assert_int_equal(plan.claims.count, 2);
    assert_int_equal(pods_on_first(&plan), 4);
}

// Existing nodes are filled in order, not by the number of their pods.
TEST_F(World, w, emptiest_first_takes_existing_nodes_in_order) {
    Plan plan;

    world_pool(w, .name = "default");
    world_node(w, .name = "n-1", .allocatable = "cpu: 4, memory: 8Gi, pods: 10");
    world_node(w, .name = "n-2", .allocatable = "cpu: 4, memory: 8Gi, pods: 10");
    world_pods(w, .name = "web", .count = 5, .requests = "cpu: 1");
    world_plan(w);

    plan = world_strategy(w, STRATEGY_EMPTIEST_FIRST);
    assert_int_equal(plan.claims.count, 0);
    assert_int_equal(plan.nodes.items[0].pods.count, 4);
    assert_int_equal(plan.nodes.items[1].pods.count, 1);
}

// --- which plan is taken

// Whether a plan is better: more pods, then cheaper, then fewer nodes.
static bool beats(const Plan *plan, const Plan *other) {
    if (plan_pods(plan) != plan_pods(other))
        return plan_pods(plan) > plan_pods(other);
    if (fabs(plan->price_per_hour - other->price_per_hour) > 1e-9)
        return plan->price_per_hour < other->price_per_hour;
    return plan->claims.count < other->claims.count;
}

// A plan of these strategies without improvement, with the attempts that they get among others.
static Plan without_improvement(World *world, uint32_t strategies) {
    return world_search(world, (PlanSearch){.strategies = strategies, .skip_improvement = true});
}

static void no_strategy_beats_the_plan(World *world, Random *random) {
    Plan best, taken;

    (void)random;
    world_plan(world);
    best = without_improvement(world, 1);
    // Patterns that are asked for by name are made with the effort of fast as well, which all together are not.
    for (Strategy strategy = 1; strategy < STRATEGY_PATTERNS; strategy++) {
        Plan plan = without_improvement(world, 1U << strategy);

        if (beats(&plan, &best))
            best = plan;
    }
    taken = without_improvement(world, 0);
    if (beats(&best, &taken))
        fail_msg("%s alone gives a better plan:\n%s\n%s", strategy_text(best.strategy), plan_text(world, &best),
                 plan_text(world, &taken));
    taken = world_effort(world, EFFORT_NORMAL);
    assert_int_equal(plan_pods(&taken), plan_pods(&best));
    assert_true(taken.price_per_hour <= best.price_per_hour + 1e-9);
}

// Without limits and rules between pods: where pods are left over, strategies are tried again with other tie-breaks,
// and the number of attempts depends on the other strategies.
TEST(the_best_plan_of_all_strategies_is_taken) {
    each_random_world(80, 0, no_strategy_beats_the_plan);
    each_random_world(80, RANDOM_POOLS | RANDOM_SELECTORS | RANDOM_NODES | RANDOM_PORTS | RANDOM_RESERVED,
                      no_strategy_beats_the_plan);
}

static void first_fit_places_no_more(World *world, Random *random) {
    const Plan *taken = world_plan(world);
    Plan plan = world_strategy(world, STRATEGY_FIRST_FIT);

    (void)random;
    assert_true(plan_pods(taken) >= plan_pods(&plan));
}

TEST(first_fit_places_no_more_pods_than_all_together) {
    each_random_world(150, RANDOM_ALL, first_fit_places_no_more);
}

// With prices proportional to size, some strategies open more nodes than others for the same price.
TEST_F(World, w, equal_prices_go_to_fewer_nodes) {
    uint32_t fewest = UINT32_MAX, most = 0;
    Plan taken;

    world_pool(w, .name = "default", .requirements = IN(INSTANCE_TYPE, "small, medium"));
    world_pods(w, .name = "web", .count = 4, .requests = "cpu: 1");
    world_plan(w);
    for (Strategy strategy = 0; strategy < STRATEGY_COUNT; strategy++) {
        Plan plan = without_improvement(w, 1U << strategy);

        assert_true(fabs(plan.price_per_hour - 0.12) < 1e-9);
        fewest = plan.claims.count < fewest ? plan.claims.count : fewest;
        most = plan.claims.count > most ? plan.claims.count : most;
    }
    taken = without_improvement(w, 0);
    assert_true(fewest < most); // else the test checks nothing
    assert_int_equal(taken.claims.count, fewest);
}

TEST_F(World, w, the_plan_says_whose_it_is) {
    Plan plan;

    // Only first fit, which ignores prices, takes the pool that comes first by name and is not the cheapest.
    world_pool(w, .name = "z-dear", .types = "arm");
    world_pool(w, .name = "a-cheap", .types = "small");
    world_pods(w, .name = "web", .requests = "cpu: 1");
    world_plan(w);

    plan = world_search(w, (PlanSearch){.strategies = 1U << STRATEGY_FIRST_FIT | 1U << STRATEGY_MARGINAL_PRICE});
    assert_int_equal(plan.strategy, STRATEGY_MARGINAL_PRICE);
    plan = world_search(w, (PlanSearch){.strategies = 1U << STRATEGY_FIRST_FIT});
    assert_int_equal(plan.strategy, STRATEGY_FIRST_FIT);
}

// --- pools

TEST_F(World, w, pools_of_equal_weight_compete_on_price) {
    world_pool(w, .name = "z-dear", .types = "arm", .spec = "weight: 5");
    world_pool(w, .name = "a-cheap", .types = "small", .spec = "weight: 5");
    world_pods(w, .name = "web", .requests = "cpu: 1");
    world_plan(w);
    assert_pool(w, 0, "a-cheap");
}

TEST_F(World, w, a_heavier_pool_comes_first_whatever_it_costs) {
    world_pool(w, .name = "dear", .types = "arm", .spec = "weight: 10");
    world_pool(w, .name = "cheap", .types = "small", .spec = "weight: 5");
    world_pods(w, .name = "web", .requests = "cpu: 1");
    world_plan(w);
    assert_claims(w, 1);
    assert_pool(w, 0, "dear");
    for (Strategy strategy = 0; strategy < STRATEGY_COUNT; strategy++) {
        Plan plan = world_strategy(w, strategy);

        assert_string_equal(symbol_text(&world_cluster(w)->symbols, plan.claims.items[0].pool->meta.name).ptr, "dear");
    }
}

// Pools that a class may not use do not count for its weights.
TEST_F(World, w, a_lighter_pool_serves_pods_that_the_heavier_one_cannot) {
    world_pool(w, .name = "heavy", .types = "small", .spec = "weight: 10");
    world_pool(w, .name = "light", .types = "arm");
    world_pods(w, .name = "big", .requests = "cpu: 8");
    world_pods(w, .name = "web", .requests = "cpu: 1");
    world_plan(w);
    assert_string_equal(world_place(w, "big"), "light-1");
    assert_pending(w, "");
}

// --- efforts

static int64_t tick(void *context) {
    int64_t *now = context;

    return *now += 1000;
}

static Plan plan_with_clock(World *w, PlanSearch search) {
    static int64_t now;

    search.now_ns = tick;
    search.now_context = &now;
    return world_search(w, search);
}

TEST_F(World, w, fast_is_one_strategy_without_improvement_and_floor) {
    Plan plan, alone;

    fill_two_nodes(w);
    plan = plan_with_clock(w, (PlanSearch){.effort = EFFORT_FAST});
    alone = world_strategy(w, STRATEGY_MARGINAL_PRICE);

    assert_int_equal(plan.strategy, STRATEGY_MARGINAL_PRICE);
    assert_string_equal(plan_text(w, &plan), plan_text(w, &alone));
    for (Strategy strategy = 0; strategy < STRATEGY_COUNT; strategy++)
        assert_int_equal(plan.timings.place[strategy] > 0, strategy == STRATEGY_MARGINAL_PRICE);
    assert_int_equal(plan.timings.improve, 0);
    assert_true(isnan(plan.floor_per_hour));
}

TEST_F(World, w, normal_tries_all_strategies_on_small_inputs) {
    Plan plan;

    fill_two_nodes(w);
    plan = plan_with_clock(w, (PlanSearch){.effort = EFFORT_NORMAL, .skip_floor = true});
    for (Strategy strategy = 0; strategy < STRATEGY_COUNT; strategy++)
        assert_true(plan.timings.place[strategy] > 0);
    assert_true(plan.timings.improve > 0);
    assert_true(plan.timings.prepare > 0 && plan.timings.write > 0);
    assert_true(plan.timings.total >= plan.timings.prepare + plan.timings.improve + plan.timings.write);
}

TEST_F(World, w, nothing_is_searched_for_where_the_floor_proves_the_price) {
    Plan plan;

    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .requests = "cpu: 3");
    (void)world_plan(w);
    plan = plan_with_clock(w, (PlanSearch){.effort = EFFORT_NORMAL});
    assert_true(plan.price_per_hour <= plan.floor_per_hour + 1e-6);
    assert_int_equal(plan.timings.improve, 0);
}

TEST_F(World, w, only_what_is_asked_for_by_name_is_tried) {
    Plan plan;

    fill_two_nodes(w);
    plan = plan_with_clock(w, (PlanSearch){.strategies = 1U << STRATEGY_EMPTIEST_FIRST, .skip_floor = true});
    for (Strategy strategy = 0; strategy < STRATEGY_COUNT; strategy++)
        assert_int_equal(plan.timings.place[strategy] > 0, strategy == STRATEGY_EMPTIEST_FIRST);
    assert_true(isnan(plan.floor_per_hour));
}

TEST_F(World, w, without_a_clock_there_are_no_timings) {
    Plan plan;

    fill_two_nodes(w);
    plan = world_effort(w, EFFORT_NORMAL);
    assert_int_equal(plan.timings.total, 0);
    assert_int_equal(plan.timings.prepare, 0);
}

// --- priority

// In the order of each strategy the large pods come first and take what the limit allows.
TEST_F(World, w, pods_of_higher_priority_come_first_where_not_all_have_a_place) {
    Plan plan;

    world_type(w, .name = "ten", .capacity = "cpu: 10, memory: 64Gi, pods: 40", .price = 0.5);
    world_pool(w, .name = "default", .requirements = IN(CAPACITY_TYPE, "on-demand"), .spec = "limits: {cpu: 10}");
    world_pods(w, .name = "large", .count = 2, .requests = "cpu: 5", .spec = "priority: 1");
    world_pods(w, .name = "small", .count = 6, .requests = "cpu: 1", .spec = "priority: 2");
    (void)world_plan(w);
    for (Effort effort = EFFORT_FAST; effort <= EFFORT_BEST; effort++) {
        plan = world_effort(w, effort);
        assert_int_equal(plan_pods(&plan), 6);
    }
}

// The pods of higher priority are bound before those that their spread counts.
TEST_F(World, w, pods_that_a_spread_counts_do_not_come_before_its_owners_of_higher_priority) {
    world_pool(w, .name = "default", .requirements = IN(ZONE, "a"));
    world_pods(w, .name = "counted", .count = 4, .labels = "app: counted", .requests = "cpu: 2", .spec = "priority: 1");
    world_pods(w, .name = "owner", .count = 3, .requests = "cpu: 1",
               .spec = "priority: 2, " SPREAD(SKEW(ZONE, 1, "app: counted", ", minDomains: 3")));
    (void)world_plan(w);
    for (Effort effort = EFFORT_FAST; effort <= EFFORT_BEST; effort++) {
        Plan plan = world_effort(w, effort);

        assert_int_equal(plan_pods(&plan), 7);
    }
}
