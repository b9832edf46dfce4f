// Improvement: plans become cheaper and stay valid. docs/plan.md "Price".
#include "base/time.h"
#include "harness/test.h"
#include "sched/bin/home_pool.h"
#include "sched/place/improve.h"
#include "sched/support/plan_check.h"
#include "sched/support/random_world.h"
#include "sched/support/solver_text.h"

#include <math.h>
#include <stdio.h>

AFTER_EACH(random_teardown);

static bool near(double a, double b) {
    return fabs(a - b) < 1e-9;
}

// First fit, which ignores prices, then improvement.
static Plan improve_first_fit(World *world) {
    return world_search(world, (PlanSearch){.strategies = 1U << STRATEGY_FIRST_FIT});
}

static Plan leave_first_fit(World *world) {
    return world_search(world, (PlanSearch){.strategies = 1U << STRATEGY_FIRST_FIT, .skip_improvement = true});
}

// --- never worse

static uint32_t gains; // number of plans that improvement made cheaper

static void improve_each_strategy(World *world, Random *random) {
    Trial *trial = trial_begin(world);

    (void)random;
    for (Strategy strategy = 0; strategy < STRATEGY_COUNT; strategy++) {
        double before;
        uint32_t placed;

        trial_place(trial, strategy);
        before = trial_price(trial);
        placed = trial_placed(trial);
        solver_improve(&trial->solver, EFFORT_NORMAL, false);
        assert_true(trial_price(trial) <= before + 1e-9 || trial_placed(trial) > placed);
        assert_true(trial_placed(trial) >= placed);
        assert_counts_add_up(trial);
        gains += trial_price(trial) < before - 1e-9;
    }
    trial_end(trial);
}

TEST(improvement_never_makes_a_plan_dearer_and_loses_no_pod) {
    gains = 0;
    each_random_world(80, RANDOM_ALL, improve_each_strategy);
    each_random_world(40, 0, improve_each_strategy);
    assert_true(gains > test_random_cases(60)); // else the test checks nothing
}

static void improved_plans_hold(World *world, Random *random) {
    Trial *trial = trial_begin(world);
    Plan plan;

    (void)random;
    for (Strategy strategy = 0; strategy < STRATEGY_COUNT; strategy++) {
        trial_place(trial, strategy);
        solver_improve(&trial->solver, EFFORT_NORMAL, false);
        plan = trial_plan(trial);
        assert_plan_holds(world, &plan);
    }
    trial_end(trial);
}

TEST(improved_plans_keep_every_rule) {
    each_random_world(150, RANDOM_ALL & ~RANDOM_LIMITS, improved_plans_hold);
    each_random_world(60, RANDOM_TOPOLOGY, improved_plans_hold);
}

// Every claim of a lighter pool has a pod that no heavier pool could serve (the host); others may have joined it.
static void assert_claims_have_hosts(Solver *solver) {
    for (vec_each(const Bin, bin, &solver->bins)) {
        bool host = !bin->pool || bin->gone;

        for (vec_each(const BinPods, pods, &bin->pods))
            host |= class_home_weight(solver, &solver->classes.classes.items[pods->class]) <= bin->pool->pool->weight;
        assert_true(host);
    }
}

static void weights_stay(World *world, Random *random) {
    Trial *trial = trial_begin(world);

    (void)random;
    for (Strategy strategy = 0; strategy < STRATEGY_COUNT; strategy++) {
        trial_place(trial, strategy);
        assert_claims_have_hosts(&trial->solver);
        solver_improve(&trial->solver, EFFORT_NORMAL, false);
        assert_claims_have_hosts(&trial->solver);
    }
    trial_end(trial);
}

TEST(improvement_leaves_no_claim_of_a_lighter_pool_without_a_pod_that_needs_it) {
    each_random_world(120, RANDOM_POOLS | RANDOM_SELECTORS, weights_stay);
}

// A claim of a lighter pool has a host, which only that pool can serve, and a guest that joined it. If the host left
// for room elsewhere, the guest would be alone on a node that its own, heavier pool should have opened.
TEST_F(World, w, a_pod_of_a_heavier_pool_is_not_left_alone_on_a_lighter_claim) {
    Trial *trial;
    uint32_t light;

    world_pool(w, .name = "heavy", .spec = "weight: 10", .types = "arm");
    world_pool(w, .name = "light", .labels = "team: light");
    world_pods(w, .name = "host", .requests = "cpu: 3", .spec = SELECT("team: light"));
    world_pods(w, .name = "other", .requests = "cpu: 5", .spec = SELECT("team: light"));
    world_pods(w, .name = "guest", .requests = "cpu: 1");
    trial = trial_begin(w);
    trial_clear(trial);
    light = trial_open(trial, "light", "host");
    trial_put(trial, light, "guest");
    trial_open(trial, "light", "other");
    assert_true(near(trial_price(trial), 0.12 + 0.24));

    solver_improve(&trial->solver, EFFORT_BEST, false);

    assert_int_equal(trial_bin_of(trial, "host"), trial_bin_of(trial, "guest"));
    trial_end(trial);
}

// The same without a heavier pool: the host moves to room elsewhere, and a small node is enough for the rest.
TEST_F(World, w, a_pod_leaves_for_room_elsewhere) {
    Trial *trial;
    uint32_t first;

    world_pool(w, .name = "light");
    world_pods(w, .name = "host", .requests = "cpu: 3");
    world_pods(w, .name = "other", .requests = "cpu: 5");
    world_pods(w, .name = "guest", .requests = "cpu: 1");
    trial = trial_begin(w);
    trial_clear(trial);
    first = trial_open(trial, "light", "host");
    trial_put(trial, first, "guest");
    trial_open(trial, "light", "other");

    solver_improve(&trial->solver, EFFORT_NORMAL, false);

    assert_true(near(trial_price(trial), 0.06 + 0.24));
    trial_end(trial);
}

#define WITH_PORT(name, cpu)                                                                                           \
    "apiVersion: apps/v1, kind: Deployment, metadata: {name: " name "}, spec: {replicas: 1, selector: {matchLabels: "  \
    "{app: " name "}}, template: {metadata: {labels: {app: " name "}}, spec: {containers: [{name: c, image: i, "       \
    "resources: {requests: {cpu: " cpu "}}, ports: [{containerPort: 80, hostPort: 8080}]}]}}}"

// Pods with a host port stay; the pod without one moves, since it makes its node larger.
TEST_F(World, w, a_pod_leaves_one_that_must_stay) {
    Trial *trial;
    uint32_t first;

    world_pool(w, .name = "default");
    world_object(w, WITH_PORT("proxy", "2"));
    world_object(w, WITH_PORT("other", "5"));
    world_pods(w, .name = "web", .requests = "cpu: 1");
    trial = trial_begin(w);
    trial_clear(trial);
    first = trial_open(trial, "default", "proxy");
    trial_put(trial, first, "web");
    trial_open(trial, "default", "other");
    assert_true(near(trial_price(trial), 0.12 + 0.24));

    solver_improve(&trial->solver, EFFORT_NORMAL, false);

    assert_true(near(trial_price(trial), 0.06 + 0.24));
    assert_counts_add_up(trial);
    trial_end(trial);
}

static void improvement_gives_equal_plans(World *world, Random *random) {
    Plan one, other;

    (void)random;
    world_plan(world);
    one = world_effort(world, EFFORT_NORMAL);
    other = world_effort(world, EFFORT_NORMAL);
    assert_string_equal(plan_text(world, &one), plan_text(world, &other));
}

TEST(improvement_is_the_same_for_equal_input) {
    each_random_world(20, RANDOM_ALL, improvement_gives_equal_plans);
}

// --- what it must find

// Three pods of 1.5 CPUs need three small nodes; a pod of 0.5 CPUs made the last node larger than necessary.
TEST_F(World, w, one_pod_too_many_moves_to_where_there_is_room) {
    Plan plan;

    world_type(w, .name = "three", .capacity = "cpu: 3, memory: 16Gi, pods: 10", .price = 0.3);
    world_type(w, .name = "four", .capacity = "cpu: 4, memory: 16Gi, pods: 10", .price = 0.4);
    world_pool(w, .name = "default", .requirements = IN(CAPACITY_TYPE, "on-demand"));
    // The two large pods have anti-affinity; both small ones go to the first node.
    world_pods(w, .name = "large", .count = 2, .labels = "app: large", .requests = "cpu: 2500m",
               .spec = AFFINITY(APART(PODS(HOST, "app: large", ""))));
    world_pods(w, .name = "small", .count = 2, .requests = "cpu: 500m");
    world_plan(w);

    plan = leave_first_fit(w);
    assert_true(near(plan.price_per_hour, 0.7)); // 2.5 + 0.5 + 0.5 and 2.5
    plan = improve_first_fit(w);
    assert_true(near(plan.price_per_hour, 0.6)); // 2.5 + 0.5 twice
    assert_int_equal(plan_pods(&plan), 4);
}

// Two kinds of pods, two of each, on four nodes: a node can hold one of each kind.
TEST_F(World, w, two_nodes_that_fit_one_become_one) {
    Trial *trial;
    Plan plan;

    world_type(w, .name = "only", .capacity = "cpu: 4, memory: 16Gi, pods: 10", .price = 0.4);
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .count = 2, .labels = "app: web", .requests = "cpu: 1",
               .spec = AFFINITY(APART(PODS(HOST, "app: web", ""))));
    world_pods(w, .name = "api", .count = 2, .labels = "app: api", .requests = "cpu: 1",
               .spec = AFFINITY(APART(PODS(HOST, "app: api", ""))));
    world_plan(w);
    trial = trial_begin(w);
    trial_clear(trial);
    for (int i = 0; i < 2; i++) { // each kind of pods opens nodes of its own
        trial_open(trial, "default", "web");
        trial_open(trial, "default", "api");
    }
    assert_true(near(trial_price(trial), 4 * 0.24));

    solver_improve(&trial->solver, EFFORT_NORMAL, false);

    assert_true(near(trial_price(trial), 2 * 0.24));
    assert_int_equal(trial_placed(trial), 4);
    plan = trial_plan(trial);
    assert_int_equal(plan.claims.count, 2);
    assert_plan_holds(w, &plan);
    trial_end(trial);
}

// First fit opens a very large node; two smaller ones are cheaper.
TEST_F(World, w, a_giant_that_two_smaller_ones_beat_is_split) {
    Plan plan;

    world_type(w, .name = "half", .capacity = "cpu: 8, memory: 32Gi, pods: 20", .price = 0.4);
    world_type(w, .name = "giant", .capacity = "cpu: 16, memory: 64Gi, pods: 40", .price = 1.5);
    world_pool(w, .name = "default", .requirements = IN(CAPACITY_TYPE, "on-demand"));
    world_pods(w, .name = "web", .count = 16, .requests = "cpu: 1");
    world_plan(w);

    plan = leave_first_fit(w);
    assert_true(near(plan.price_per_hour, 1.5));
    plan = improve_first_fit(w);
    assert_true(near(plan.price_per_hour, 0.8));
    assert_plan_holds(w, &plan);
}

// --- pods that others rely on

static uint32_t pods_in_zone(World *w, const Plan *plan, const char *zone) {
    uint32_t count = 0;

    for (vec_each(PlannedClaim, claim, &plan->claims)) {
        if (slice_eq_text(symbol_text(&world_cluster(w)->symbols, claim->offering->zone), zone))
            count += claim->pods.count;
    }
    return count;
}

// Zone b costs twice as much. A spread over a and b allows at most one pod more in a.
TEST_F(World, w, a_spread_still_holds_after_its_pods_have_moved) {
    Plan plan;

    world_type(w, .name = "only", .capacity = "cpu: 4, memory: 16Gi, pods: 10", .zones = "", .price = 0);
    world_offering(w, .type = "only", .zone = "a", .price = 0.1);
    world_offering(w, .type = "only", .zone = "b", .price = 0.5);
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .count = 8, .labels = "app: web", .requests = "cpu: 2",
               .spec = SPREAD(SKEW(ZONE, 1, "app: web", "")));
    world_plan(w);

    plan = improve_first_fit(w);
    assert_plan_holds(w, &plan);
    assert_int_equal(pods_in_zone(w, &plan, "a"), 4);
    assert_int_equal(pods_in_zone(w, &plan, "b"), 4);
    plan = world_effort(w, EFFORT_BEST);
    assert_int_equal(pods_in_zone(w, &plan, "b"), 4);
}

// Nodes of type small are not counted by the spread of "x". Two pods "web" rule that type out on their claim, which
// lets the spread count them, and only then the second "x" finds a place: their claim may not become two small ones.
TEST_F(World, w, pods_on_a_claim_that_a_spread_relies_on_stay) {
    Trial *trial;

    world_type(w, .name = "small", .capacity = "cpu: 2, memory: 16Gi, pods: 10", .price = 0.05);
    world_type(w, .name = "medium", .capacity = "cpu: 4, memory: 16Gi, pods: 10", .price = 0.4);
    world_pool(w, .name = "default", .requirements = IN(ZONE, "a, b"));
    world_pods(w, .name = "web", .count = 2, .labels = "app: web, g: g", .requests = "cpu: 1100m",
               .spec = SELECT(ZONE ": a"));
    world_pods(w, .name = "x", .count = 2, .labels = "app: x, g: g", .requests = "cpu: 100m",
               .spec = SELECT(INSTANCE_TYPE ": medium") ", " SPREAD(SKEW(ZONE, 1, "g: g", "")));
    trial = trial_begin(w);
    trial_place(trial, STRATEGY_FIRST_FIT);
    assert_int_equal(trial_placed(trial), 4);

    solver_improve(&trial->solver, EFFORT_NORMAL, false);

    assert_int_equal(trial_placed(trial), 4);
    assert_int_equal(trial_plan(trial).claims.count, 2);
    assert_counts_add_up(trial);
    trial_end(trial);
}

// Three pods per zone need a node of 3 CPUs in each. With a skew of 2 the expensive zone b needs only two of them, on a
// smaller node.
TEST_F(World, w, a_pod_of_a_spread_moves_between_zones_where_the_spread_allows_it) {
    Plan before, after;

    world_type(w, .name = "two", .capacity = "cpu: 2, memory: 16Gi, pods: 10", .zones = "");
    world_offering(w, .type = "two", .zone = "a", .price = 0.2);
    world_offering(w, .type = "two", .zone = "b", .price = 0.5);
    world_type(w, .name = "three", .capacity = "cpu: 3, memory: 16Gi, pods: 10", .zones = "");
    world_offering(w, .type = "three", .zone = "a", .price = 0.3);
    world_offering(w, .type = "three", .zone = "b", .price = 0.9);
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .count = 6, .labels = "app: web", .requests = "cpu: 1",
               .spec = SPREAD(SKEW(ZONE, 2, "app: web", "")));
    world_plan(w);

    before = leave_first_fit(w);
    after = improve_first_fit(w);

    assert_true(near(before.price_per_hour, 0.3 + 0.9));
    assert_true(near(after.price_per_hour, 2 * 0.2 + 0.5));
    assert_int_equal(pods_in_zone(w, &after, "a"), 4);
    assert_plan_holds(w, &after);
}

// The same with a skew of 1, which leaving zone b would break.
TEST_F(World, w, a_pod_of_a_spread_stays_where_the_spread_needs_it) {
    Plan after;

    world_type(w, .name = "two", .capacity = "cpu: 2, memory: 16Gi, pods: 10", .zones = "");
    world_offering(w, .type = "two", .zone = "a", .price = 0.2);
    world_offering(w, .type = "two", .zone = "b", .price = 0.5);
    world_type(w, .name = "three", .capacity = "cpu: 3, memory: 16Gi, pods: 10", .zones = "");
    world_offering(w, .type = "three", .zone = "a", .price = 0.3);
    world_offering(w, .type = "three", .zone = "b", .price = 0.9);
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .count = 6, .labels = "app: web", .requests = "cpu: 1",
               .spec = SPREAD(SKEW(ZONE, 1, "app: web", "")));
    world_plan(w);

    after = improve_first_fit(w);

    assert_true(near(after.price_per_hour, 0.3 + 0.9));
    assert_int_equal(pods_in_zone(w, &after, "b"), 3);
}

// A pod has affinity to another one that has no rule. The other one stays, though there is room elsewhere and a smaller
// node would be enough for the rest.
TEST_F(World, w, a_pod_that_others_want_to_be_near_stays) {
    Trial *trial;
    uint32_t first;

    world_pool(w, .name = "default");
    world_pods(w, .name = "db", .labels = "app: db", .requests = "cpu: 3");
    world_pods(w, .name = "web", .requests = "cpu: 1", .spec = AFFINITY(NEAR(PODS(HOST, "app: db", ""))));
    world_pods(w, .name = "other", .requests = "cpu: 5");
    trial = trial_begin(w);
    trial_clear(trial);
    first = trial_open(trial, "default", "db");
    trial_put(trial, first, "web");
    trial_open(trial, "default", "other");

    solver_improve(&trial->solver, EFFORT_BEST, false);

    assert_int_equal(trial_bin_of(trial, "web"), trial_bin_of(trial, "db"));
    trial_end(trial);
}

TEST_F(World, w, pods_with_affinity_stay_together) {
    Plan plan;

    world_type(w, .name = "half", .capacity = "cpu: 8, memory: 32Gi, pods: 20", .price = 0.4);
    world_type(w, .name = "giant", .capacity = "cpu: 16, memory: 64Gi, pods: 40", .price = 1.5);
    world_pool(w, .name = "default", .requirements = IN(CAPACITY_TYPE, "on-demand"));
    world_pods(w, .name = "web", .count = 16, .labels = "app: web", .requests = "cpu: 1",
               .spec = AFFINITY(NEAR(PODS(HOST, "app: web", ""))));
    world_plan(w);

    plan = improve_first_fit(w);
    assert_true(near(plan.price_per_hour, 1.5)); // on one node, though it costs more
    assert_plan_holds(w, &plan);
}

// --- where rules bite

// Twelve pods of 4 CPUs and six of 1 CPU are spread over spot and on-demand, all of them counted, and prefer on-demand.
// The best plan has eleven of the twelve on one node and the last on a small one: a node for all twelve is a quarter
// too large.
TEST_F(World, w, pods_that_a_spread_counts_are_packed_as_well_as_others) {
    Plan plan;

    world_type(w, .name = "c8", .capacity = "cpu: 8, memory: 64Gi, pods: 60", .overhead = "cpu: 200m", .price = 0.8);
    world_type(w, .name = "c48", .capacity = "cpu: 48, memory: 384Gi, pods: 200", .overhead = "cpu: 500m",
               .price = 4.8);
    world_type(w, .name = "c64", .capacity = "cpu: 64, memory: 512Gi, pods: 200", .overhead = "cpu: 500m",
               .price = 6.4);
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .count = 12, .labels = "tier: web", .requests = "cpu: 4");
    world_pods(w, .name = "api", .count = 6, .labels = "tier: web", .requests = "cpu: 1",
               .spec = SPREAD(SKEW(CAPACITY_TYPE, 1, "tier: web", "")) ", " AFFINITY(
                   PREFER_NODE(PREFER_TERM(1, NOT_IN(CAPACITY_TYPE, "spot")))));
    world_plan(w);

    plan = world_effort(w, EFFORT_NORMAL);
    assert_int_equal(plan_pods(&plan), 18);
    assert_true(near(plan.price_per_hour, 0.6 * (4.8 + 0.8) + 0.8));
    assert_plan_holds(w, &plan);
}

// Zone c has no type that is large enough, so the third pod waits until spreads are settled on zones with nodes. After
// that the other pods are still improved.
TEST_F(World, w, plans_become_cheaper_after_spreads_have_settled) {
    Trial *trial;
    double before;
    Plan plan;

    world_type(w, .name = "half", .capacity = "cpu: 8, memory: 32Gi, pods: 20", .zones = "a b", .price = 0.4);
    world_type(w, .name = "giant", .capacity = "cpu: 16, memory: 64Gi, pods: 40", .zones = "a b", .price = 1.5);
    world_type(w, .name = "tiny", .capacity = "cpu: 1, memory: 64Gi, pods: 40", .zones = "c", .price = 0.1);
    world_pool(w, .name = "default", .requirements = IN(CAPACITY_TYPE, "on-demand"));
    world_pods(w, .name = "web", .count = 3, .labels = "app: web", .requests = "cpu: 2",
               .spec = SPREAD(SKEW(ZONE, 1, "app: web", "")));
    world_pods(w, .name = "batch", .count = 10, .requests = "cpu: 1");
    trial = trial_begin(w);
    trial_place(trial, STRATEGY_FIRST_FIT);
    before = trial_price(trial);
    assert_true(trial->solver.domains_settled);
    assert_int_equal(trial_placed(trial), 13);

    solver_improve(&trial->solver, EFFORT_NORMAL, false);

    assert_true(trial_price(trial) < before - 1e-9);
    assert_true(near(trial_price(trial), 0.8)); // two halves, one in each zone
    assert_int_equal(trial_placed(trial), 13);
    plan = trial_plan(trial);
    assert_plan_holds(w, &plan);
    trial_end(trial);
}

// Two nodes of 4 CPUs are all that the limit allows. First fit gives one of them to a single pod.
TEST_F(World, w, limits_are_used_for_as_many_pods_as_they_can_hold) {
    Trial *trial;
    Plan plan;

    world_type(w, .name = "four", .capacity = "cpu: 4, memory: 16Gi, pods: 10", .price = 0.4);
    world_pool(w, .name = "default", .spec = "limits: {cpu: 8}");
    world_pods(w, .name = "large", .count = 2, .requests = "cpu: 3");
    world_pods(w, .name = "small", .count = 4, .requests = "cpu: 2");
    trial = trial_begin(w);
    trial_place(trial, STRATEGY_FIRST_FIT);
    assert_int_equal(trial_placed(trial), 2);

    solver_improve(&trial->solver, EFFORT_NORMAL, false);

    assert_int_equal(trial_placed(trial), 4);
    plan = trial_plan(trial);
    assert_plan_holds(w, &plan);
    assert_counts_add_up(trial);
    trial_end(trial);
}

// The limit is used up by one very large node or by two of half its size.
TEST_F(World, w, claims_under_a_limit_become_cheaper_too) {
    Trial *trial;
    double before;

    world_type(w, .name = "half", .capacity = "cpu: 8, memory: 32Gi, pods: 20", .price = 0.4);
    world_type(w, .name = "giant", .capacity = "cpu: 16, memory: 64Gi, pods: 40", .price = 1.5);
    world_pool(w, .name = "default", .requirements = IN(CAPACITY_TYPE, "on-demand"), .spec = "limits: {cpu: 16}");
    world_pods(w, .name = "web", .count = 16, .requests = "cpu: 1");
    trial = trial_begin(w);
    trial_place(trial, STRATEGY_FIRST_FIT);
    before = trial_price(trial);
    assert_true(near(before, 1.5));

    solver_improve(&trial->solver, EFFORT_NORMAL, false);

    assert_true(near(trial_price(trial), 0.8));
    assert_int_equal(trial_placed(trial), 16);
    assert_counts_add_up(trial);
    trial_end(trial);
}

// --- how long

// A clock that advances when it is read.
typedef struct {
    int64_t now, step;
    uint32_t reads;
} FakeClock;

static int64_t read_clock(void *context) {
    FakeClock *clock = context;

    clock->reads++;
    return clock->now += clock->step;
}

static void fill_with_many_pods(World *w) {
    world_type(w, .name = "half", .capacity = "cpu: 8, memory: 32Gi, pods: 20", .price = 0.4);
    world_type(w, .name = "giant", .capacity = "cpu: 16, memory: 64Gi, pods: 40", .price = 1.5);
    world_pool(w, .name = "default", .requirements = IN(CAPACITY_TYPE, "on-demand"));
    world_pods(w, .name = "web", .count = 64, .requests = "cpu: 1");
    world_pods(w, .name = "api", .count = 30, .requests = "cpu: 700m, memory: 3Gi");
}

// The price after first fit and improvement for that time, with a clock that advances a millisecond per reading.
static double price_within(Trial *trial, int64_t budget_ns, FakeClock *clock) {
    PlanSearch search = {.effort = EFFORT_BEST, .budget_ns = budget_ns, .now_ns = read_clock, .now_context = clock};

    trial_place(trial, STRATEGY_FIRST_FIT);
    budget_init(&trial->solver.budget, &search);
    budget_begin_search(&trial->solver.budget);
    solver_improve(&trial->solver, EFFORT_BEST, true);
    return trial_price(trial);
}

TEST_F(World, w, a_budget_of_time_ends_the_improvement) {
    FakeClock short_one = {.step = 1000000}, long_one = {.step = 1000000};
    double before, little, much;
    Trial *trial;

    fill_with_many_pods(w);
    trial = trial_begin(w);
    trial_place(trial, STRATEGY_FIRST_FIT);
    before = trial_price(trial);
    little = price_within(trial, 5 * NS_PER_MS, &short_one);
    much = price_within(trial, 400 * NS_PER_MS, &long_one);

    assert_true(much < before - 1e-9);
    assert_true(little <= before + 1e-9 && much <= little + 1e-9);
    assert_true(short_one.reads <= 5 + 2); // the first one, and one for each look until the time was up
    assert_true(long_one.reads <= 400 + 2);
    trial_end(trial);
}

// Nothing is changed if the time is used up at the first reading.
TEST_F(World, w, without_time_nothing_is_changed) {
    FakeClock clock = {.step = 1000000};
    double before;
    Trial *trial;

    fill_with_many_pods(w);
    trial = trial_begin(w);
    trial_place(trial, STRATEGY_FIRST_FIT);
    before = trial_price(trial);
    assert_true(near(price_within(trial, NS_PER_MS, &clock), before));
    trial_end(trial);
}

TEST_F(World, w, an_effort_counts_steps_and_reads_no_clock) {
    FakeClock clock = {.step = NS_PER_S};
    PlanSearch search = {.effort = EFFORT_NORMAL, .now_ns = read_clock, .now_context = &clock};
    Trial *trial;
    double price;

    fill_with_many_pods(w);
    trial = trial_begin(w);
    trial_place(trial, STRATEGY_FIRST_FIT);
    solver_improve(&trial->solver, EFFORT_NORMAL, false);
    price = trial_price(trial);
    trial_place(trial, STRATEGY_FIRST_FIT);
    budget_init(&trial->solver.budget, &search);
    solver_improve(&trial->solver, EFFORT_NORMAL, false);
    assert_true(near(trial_price(trial), price));
    assert_int_equal(clock.reads, 0);
    trial_end(trial);
}

TEST_F(World, w, improvement_is_skipped_when_asked) {
    Plan fast, skipped, improved;

    fill_with_many_pods(w);
    world_plan(w);
    fast = world_search(w, (PlanSearch){.effort = EFFORT_FAST, .strategies = 1U << STRATEGY_FIRST_FIT});
    skipped = leave_first_fit(w);
    improved = improve_first_fit(w);
    assert_true(near(fast.price_per_hour, skipped.price_per_hour));
    assert_true(improved.price_per_hour < skipped.price_per_hour - 1e-9);
}

// --- what greedy placing does not try

// The least loaded zone first, there would be two nodes in a and one in each of the others: $0.80.
TEST_F(World, w, a_spread_gathers_where_it_is_cheap_as_far_as_max_skew_allows) {
    Plan plan;

    world_type(w, .name = "box", .capacity = "cpu: 2, memory: 4Gi, pods: 10", .zones = "");
    world_offering(w, .type = "box", .zone = "a", .price = 0.1);
    world_offering(w, .type = "box", .zone = "b", .price = 0.3);
    world_offering(w, .type = "box", .zone = "c", .price = 0.3);
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .count = 4, .labels = "app: web", .requests = "cpu: 1",
               .spec = SPREAD(SKEW(ZONE, 3, "app: web", "")) ", " AFFINITY(APART(PODS(HOST, "app: web", ""))));
    world_plan(w);
    plan = world_effort(w, EFFORT_NORMAL);
    assert_true(near(plan.price_per_hour, 0.6));
    assert_plan_holds(w, &plan);
}

// The pod of zone a needs the lighter pool. The others may join it there, on a type many steps up the launch order.
TEST_F(World, w, a_claim_grows_by_many_steps_for_pods_of_a_heavier_pool) {
    static const struct {
        const char *name, *capacity;
        double price;
    } sizes[] = {{"one", "cpu: 1, memory: 64Gi, pods: 20", 0.01},     {"two", "cpu: 2, memory: 64Gi, pods: 20", 0.02},
                 {"three", "cpu: 3, memory: 64Gi, pods: 20", 0.03},   {"four", "cpu: 4, memory: 64Gi, pods: 20", 0.04},
                 {"five", "cpu: 5, memory: 64Gi, pods: 20", 0.05},    {"six", "cpu: 6, memory: 64Gi, pods: 20", 0.06},
                 {"sixteen", "cpu: 16, memory: 64Gi, pods: 20", 0.16}};
    Plan plan;

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        world_type(w, .name = sizes[i].name, .capacity = sizes[i].capacity, .zones = "a", .capacity_types = "on-demand",
                   .price = sizes[i].price);
    world_type(w, .name = "dear", .capacity = "cpu: 16, memory: 64Gi, pods: 20", .zones = "b",
               .capacity_types = "on-demand", .price = 0.4);
    world_pool(w, .name = "heavy", .spec = "weight: 50", .types = "dear");
    world_pool(w, .name = "light", .types = "one two three four five six sixteen");
    world_pods(w, .name = "tied", .requests = "cpu: 500m", .spec = SELECT(ZONE ": a"));
    world_pods(w, .name = "web", .count = 6, .requests = "cpu: 2");
    world_plan(w);
    plan = world_effort(w, EFFORT_NORMAL);
    assert_true(near(plan.price_per_hour, 0.16));
    assert_plan_holds(w, &plan);
}
