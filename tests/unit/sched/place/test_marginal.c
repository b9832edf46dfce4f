// Marginal price: the order of classes, where pods go, and where they may move.
#include "harness/test.h"
#include "sched/place/change.h"
#include "sched/place/marginal.h"
#include "sched/place/marginal_state.h"
#include "sched/support/random_world.h"
#include "sched/support/solver_text.h"

#include <math.h>
#include <stdio.h>

AFTER_EACH(random_teardown);

static bool near(double a, double b) {
    return fabs(a - b) < 1e-9;
}

static Plan plan_marginal(World *w) {
    world_plan(w);
    return world_strategy(w, STRATEGY_MARGINAL_PRICE);
}

#define ON_DEMAND IN(CAPACITY_TYPE, "on-demand")

// --- where pods go

TEST_F(World, w, existing_nodes_are_free_and_come_first) {
    Plan plan;

    world_pool(w, .name = "default");
    world_node(w, .name = "n-1", .allocatable = "cpu: 4, memory: 8Gi, pods: 10");
    world_pods(w, .name = "web", .count = 3, .requests = "cpu: 1");
    plan = plan_marginal(w);

    assert_int_equal(plan.claims.count, 0);
    assert_int_equal(plan.nodes.items[0].pods.count, 3);
}

// The room that is left on an existing node is too small for the last pod.
TEST_F(World, w, what_nodes_have_no_room_for_goes_to_the_cheapest_new_one) {
    Plan plan;

    world_pool(w, .name = "default");
    world_node(w, .name = "n-1", .allocatable = "cpu: 2500m, memory: 8Gi, pods: 10");
    world_pods(w, .name = "web", .count = 3, .requests = "cpu: 1");
    plan = plan_marginal(w);

    assert_int_equal(plan.nodes.items[0].pods.count, 2);
    assert_int_equal(plan.claims.count, 1);
    assert_true(near(plan.price_per_hour, 0.06));
}

// Of two nodes with room, the one with less of it is filled.
TEST_F(World, w, the_tightest_node_that_has_room_is_filled) {
    Plan plan;

    world_pool(w, .name = "default");
    world_node(w, .name = "n-1", .allocatable = "cpu: 8, memory: 16Gi, pods: 10");
    world_node(w, .name = "n-2", .allocatable = "cpu: 2, memory: 4Gi, pods: 10");
    world_pods(w, .name = "web", .requests = "cpu: 1");
    plan = plan_marginal(w);

    assert_int_equal(plan.nodes.count, 1);
    assert_ptr_equal(plan.nodes.items[0].node, &world_input(w)->nodes.items[1]);
}

// A new claim takes at once as many pods as make it worth its price, where minValues let it, too.
TEST_F(World, w, min_values_do_not_open_a_claim_for_each_pod) {
    Plan plan;

    world_type(w, .name = "one", .capacity = "cpu: 1, memory: 4Gi, pods: 10", .price = 0.10);
    world_type(w, .name = "other", .capacity = "cpu: 1, memory: 4Gi, pods: 10", .price = 0.11);
    world_type(w, .name = "three", .capacity = "cpu: 3, memory: 12Gi, pods: 10", .price = 0.15);
    world_type(w, .name = "four", .capacity = "cpu: 4, memory: 16Gi, pods: 10", .price = 0.30);
    world_pool(w, .name = "default", .requirements = MIN_VALUES(INSTANCE_TYPE, "one, other, three, four", "2"));
    world_pods(w, .name = "web", .count = 9, .requests = "cpu: 1");
    plan = plan_marginal(w);

    assert_int_equal(plan.claims.count, 3); // four pods would leave the largest type alone
    assert_true(near(plan.price_per_hour, 3 * 0.15 * 0.6));
}

TEST_F(World, w, a_claim_grows_where_that_is_cheaper_than_a_new_one) {
    Plan plan;

    world_type(w, .name = "one", .capacity = "cpu: 1, memory: 4Gi, pods: 10", .price = 0.10);
    world_type(w, .name = "two", .capacity = "cpu: 2, memory: 8Gi, pods: 10", .price = 0.12);
    world_pool(w, .name = "default", .requirements = ON_DEMAND);
    world_pods(w, .name = "web", .requests = "cpu: 1");
    world_pods(w, .name = "api", .requests = "cpu: 900m");
    plan = plan_marginal(w);

    assert_int_equal(plan.claims.count, 1);
    assert_true(near(plan.price_per_hour, 0.12));
}

TEST_F(World, w, a_new_claim_is_opened_where_growing_costs_more) {
    Plan plan;

    world_type(w, .name = "one", .capacity = "cpu: 1, memory: 4Gi, pods: 10", .price = 0.10);
    world_type(w, .name = "two", .capacity = "cpu: 2, memory: 8Gi, pods: 10", .price = 0.32);
    world_pool(w, .name = "default", .requirements = ON_DEMAND);
    world_pods(w, .name = "web", .requests = "cpu: 1");
    world_pods(w, .name = "api", .requests = "cpu: 900m");
    plan = plan_marginal(w);

    assert_int_equal(plan.claims.count, 2);
    assert_true(near(plan.price_per_hour, 0.2));
}

// A type is chosen by its price per pod when filled, not by the first pod.
TEST_F(World, w, the_size_is_taken_that_costs_least_per_pod) {
    Plan plan;

    world_type(w, .name = "one", .capacity = "cpu: 1, memory: 4Gi, pods: 10", .price = 0.10);
    world_type(w, .name = "eight", .capacity = "cpu: 8, memory: 32Gi, pods: 10", .price = 0.40);
    world_pool(w, .name = "default", .requirements = ON_DEMAND);
    world_pods(w, .name = "web", .count = 8, .requests = "cpu: 1");
    plan = plan_marginal(w);
    assert_true(near(plan.price_per_hour, 0.4));
    assert_int_equal(plan.claims.count, 1);
}

TEST_F(World, w, no_larger_type_is_taken_than_there_are_pods_for) {
    Plan plan;

    world_type(w, .name = "one", .capacity = "cpu: 1, memory: 4Gi, pods: 10", .price = 0.10);
    world_type(w, .name = "eight", .capacity = "cpu: 8, memory: 32Gi, pods: 10", .price = 0.40);
    world_pool(w, .name = "default", .requirements = ON_DEMAND);
    world_pods(w, .name = "web", .count = 3, .requests = "cpu: 1");
    plan = plan_marginal(w);
    assert_true(near(plan.price_per_hour, 0.3));
}

// Pods that are dealt to zones one at a time fill large claims, too: of the types that cost a little more, those are
// passed over that have no room for another pod, and that all sizes take equally many pods does not make growing dear.
TEST_F(World, w, claims_of_pods_that_spread_grow_as_far_as_they_pay) {
    static const char *const memory[] = {"2Gi", "3Gi", "4Gi", "5Gi", "6Gi", "7Gi"};
    char names[6][16], capacities[6][64];
    Plan plan;

    for (uint32_t i = 0; i < 6; i++) {
        snprintf(names[i], sizeof names[i], "two-%u", i);
        snprintf(capacities[i], sizeof capacities[i], "cpu: 1900m, memory: %s, pods: 60", memory[i]);
        world_type(w, .name = names[i], .capacity = capacities[i], .price = 0.10 + 0.001 * i);
    }
    world_type(w, .name = "four", .capacity = "cpu: 3900m, memory: 8Gi, pods: 60", .price = 0.2);
    world_type(w, .name = "eight", .capacity = "cpu: 7900m, memory: 16Gi, pods: 60", .price = 0.4);
    world_type(w, .name = "sixteen", .capacity = "cpu: 15900m, memory: 32Gi, pods: 60", .price = 0.8);
    world_pool(w, .name = "default", .requirements = ON_DEMAND);
    world_pods(w, .name = "web", .count = 45, .labels = "app: web", .requests = "cpu: 1, memory: 1Gi",
               .spec = SPREAD(SKEW(ZONE, 1, "app: web", "")));
    plan = plan_marginal(w);

    assert_int_equal(plan_pods(&plan), 45);
    assert_int_equal(plan.claims.count, 3);
    assert_true(near(plan.price_per_hour, 2.4));
}

// The small pods with little choice are placed first, else the large pods would take their only node.
TEST_F(World, w, pods_with_little_choice_come_first) {
    Plan plan;

    world_pool(w, .name = "default");
    world_node(w, .name = "n-1", .labels = ZONE ": a", .allocatable = "cpu: 2, memory: 8Gi, pods: 10");
    world_pods(w, .name = "large", .count = 2, .requests = "cpu: 2");
    world_pods(w, .name = "apart", .count = 2, .labels = "app: apart", .requests = "cpu: 1500m",
               .spec = AFFINITY(APART(PODS(HOST, "app: apart", ""))));
    plan = plan_marginal(w);

    assert_int_equal(plan.nodes.count, 1);
    assert_int_equal(plan.nodes.items[0].pods.count, 1);
    assert_null(strstr(plan_text(w, &plan), "n-1: large"));
}

// --- very many bins

// Hundreds of claims of pods with anti-affinity, each with room for one more pod: no further claim is opened.
TEST_F(World, w, small_pods_fill_what_hundreds_of_claims_leave) {
    enum { NODES = 700 };
    Plan plan;

    world_type(w, .name = "only", .capacity = "cpu: 4, memory: 16Gi, pods: 10", .price = 0.4);
    world_pool(w, .name = "default");
    world_pods(w, .name = "apart", .count = NODES, .labels = "app: apart", .requests = "cpu: 3",
               .spec = AFFINITY(APART(PODS(HOST, "app: apart", ""))));
    world_pods(w, .name = "small", .count = NODES, .requests = "cpu: 1");
    plan = plan_marginal(w);

    assert_int_equal(plan.claims.count, NODES);
    for (vec_each(const PlannedClaim, claim, &plan.claims))
        assert_int_equal(claim->pods.count, 2);
}

// The same with existing nodes.
TEST_F(World, w, small_pods_find_the_last_of_hundreds_of_nodes) {
    enum { NODES = 600 };
    static char names[NODES][8];
    Plan plan;

    world_pool(w, .name = "default");
    for (int i = 0; i < NODES; i++) {
        snprintf(names[i], sizeof names[i], "n-%d", i);
        world_node(w, .name = names[i],
                   .allocatable = i % 100 == 99 ? "cpu: 2, memory: 8Gi, pods: 10" : "cpu: 500m, memory: 8Gi, pods: 10");
    }
    world_pods(w, .name = "web", .count = 12, .requests = "cpu: 1");
    plan = plan_marginal(w);

    assert_int_equal(plan.claims.count, 0);
    assert_int_equal(plan.nodes.count, 6);
}

// --- moving

// A world with one pod to move: it is alone on the last claim; the others have room.
typedef struct {
    Trial *trial;
    Solver *solver;
    Change change;
    uint32_t from, class, variant;
} Mover;

// Removes the pods of a class from their claim.
static void lift(Mover *mover, Trial *trial, const char *name) {
    const Bin *bin;

    *mover = (Mover){.trial = trial, .solver = &trial->solver, .class = trial_class(trial, name)};
    mover->from = trial_bin_of(trial, name);
    marginal_renew(mover->solver);
    change_begin(&mover->change, mover->solver);
    bin = &mover->solver->bins.items[mover->from];
    for (uint32_t i = 0; i < bin->pods.count; i++) {
        if (bin->pods.items[i].class == mover->class) {
            mover->variant = bin->pods.items[i].variant;
            change_take(&mover->change, mover->from, i, bin->pods.items[i].count);
            return;
        }
    }
}

static uint32_t move(Mover *mover, MoveRules rules) {
    return marginal_move(mover->solver, mover->class, mover->variant, 1, &rules);
}

static void put_down(Mover *mover) {
    change_undo(&mover->change);
    change_free(&mover->change);
    trial_end(mover->trial);
}

TEST_F(World, w, moving_pods_do_not_come_back) {
    Mover mover;
    Trial *trial;

    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .requests = "cpu: 1");
    world_pods(w, .name = "api", .requests = "cpu: 1500m");
    trial = trial_begin(w);
    trial_clear(trial);
    trial_open(trial, "default", "web");
    trial_open(trial, "default", "api");
    lift(&mover, trial, "web");

    // Its own claim is empty, and the other one would have to grow.
    assert_int_equal(move(&mover, (MoveRules){mover.from, LABEL_STATE_NONE, 0, 0}), 0);
    assert_int_equal(move(&mover, (MoveRules){mover.from, LABEL_STATE_NONE, 0, 0.07F}), 1);
    assert_int_not_equal(trial_bin_of(trial, "web"), mover.from);
    put_down(&mover);
}

TEST_F(World, w, a_move_pays_no_more_than_it_may) {
    Mover mover;
    Trial *trial;

    // A medium node costs 6 cents more than a small one, as spot.
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .requests = "cpu: 1");
    world_pods(w, .name = "api", .requests = "cpu: 1500m");
    trial = trial_begin(w);
    trial_clear(trial);
    trial_open(trial, "default", "web");
    trial_open(trial, "default", "api");
    lift(&mover, trial, "web");

    assert_int_equal(move(&mover, (MoveRules){mover.from, LABEL_STATE_NONE, 0, 0.059F}), 0);
    assert_int_equal(move(&mover, (MoveRules){mover.from, LABEL_STATE_NONE, 0, 0.061F}), 1);
    put_down(&mover);
}

TEST_F(World, w, only_an_unbounded_move_opens_a_claim) {
    Mover mover;
    Trial *trial;
    uint32_t bins;

    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .requests = "cpu: 1");
    trial = trial_begin(w);
    trial_clear(trial);
    trial_open(trial, "default", "web");
    lift(&mover, trial, "web");
    bins = mover.solver->bins.count;

    assert_int_equal(move(&mover, (MoveRules){mover.from, LABEL_STATE_NONE, 0, 100}), 0);
    assert_int_equal(mover.solver->bins.count, bins);
    assert_int_equal(move(&mover, (MoveRules){INDEX_NONE, LABEL_STATE_NONE, 0, INFINITY}), 1);
    assert_int_equal(mover.solver->bins.count, bins + 1);
    put_down(&mover);
}

// There is free room, but in a pool that is lighter than the pod's own.
TEST_F(World, w, pods_do_not_move_to_lighter_pools) {
    Mover mover;
    Trial *trial;

    world_pool(w, .name = "heavy", .spec = "weight: 10");
    world_pool(w, .name = "light", .requirements = IN(INSTANCE_TYPE, "huge"));
    world_pods(w, .name = "web", .requests = "cpu: 1");
    world_pods(w, .name = "api", .requests = "cpu: 1500m");
    trial = trial_begin(w);
    trial_clear(trial);
    trial_open(trial, "heavy", "web");
    trial_open(trial, "light", "api");
    lift(&mover, trial, "web");

    assert_int_equal(move(&mover, (MoveRules){mover.from, LABEL_STATE_NONE, 10, 0.5F}), 0);
    assert_int_equal(move(&mover, (MoveRules){mover.from, LABEL_STATE_NONE, 0, 0.5F}), 1);
    put_down(&mover);
}

// The heavy pool may not open another node, and its only one is full.
TEST_F(World, w, an_unbounded_move_opens_no_lighter_pool) {
    Mover mover;
    Trial *trial;

    world_pool(w, .name = "heavy", .spec = "weight: 10, limits: {nodes: 1}");
    world_pool(w, .name = "light");
    world_pods(w, .name = "web", .requests = "cpu: 1");
    world_pods(w, .name = "api", .requests = "cpu: 16");
    trial = trial_begin(w);
    trial_clear(trial);
    trial_open(trial, "heavy", "api");
    trial_open(trial, "light", "web");
    lift(&mover, trial, "web");

    assert_int_equal(move(&mover, (MoveRules){INDEX_NONE, LABEL_STATE_NONE, 10, INFINITY}), 0);
    assert_int_equal(move(&mover, (MoveRules){INDEX_NONE, LABEL_STATE_NONE, 0, INFINITY}), 1);
    put_down(&mover);
}

// Pods that a spread counts per zone, moved by the rules of their zone, stay in it.
TEST_F(World, w, pods_that_are_counted_stay_in_their_domain) {
    Mover mover;
    Trial *trial;
    uint32_t home;

    world_pool(w, .name = "default", .requirements = IN(INSTANCE_TYPE, "huge"));
    world_pods(w, .name = "web", .labels = "app: web", .requests = "cpu: 1",
               .spec = SPREAD(SKEW(ZONE, 5, "app: web", "")));
    world_pods(w, .name = "b", .requests = "cpu: 2", .spec = SELECT(ZONE ": b"));
    trial = trial_begin(w);
    trial_clear(trial);
    trial_open(trial, "default", "web");
    trial_open(trial, "default", "b");
    lift(&mover, trial, "web");
    home = mover.solver->bins.items[mover.from].state;

    assert_int_equal(move(&mover, (MoveRules){mover.from, home, 0, 0.5F}), 0); // the other node is in zone b
    assert_int_equal(move(&mover, (MoveRules){mover.from, LABEL_STATE_NONE, 0, 0.5F}), 1);
    put_down(&mover);
}

// --- order

static const ClassOrder *order_of(const Trial *trial, const ClassOrder *order, const char *name) {
    return &order[trial_class(trial, name)];
}

TEST_F(World, w, the_order_is_by_freedom_then_size) {
    ClassOrder order[5];
    Trial *trial;

    world_pool(w, .name = "default");
    world_pods(w, .name = "large", .requests = "cpu: 4, memory: 4Gi");
    world_pods(w, .name = "small", .requests = "cpu: 1, memory: 1Gi");
    world_pods(w, .name = "apart", .count = 2, .labels = "app: apart", .requests = "cpu: 1",
               .spec = AFFINITY(APART(PODS(HOST, "app: apart", ""))));
    world_pods(w, .name = "zonal", .labels = "app: zonal", .requests = "cpu: 1",
               .spec = SPREAD(SKEW(ZONE, 1, "app: zonal", "")));
    world_pods(w, .name = "even", .labels = "app: even", .requests = "cpu: 1",
               .spec = SPREAD(SKEW(HOST, 1, "app: even", "")));
    trial = trial_begin(w);
    trial_clear(trial);
    assert_int_equal(trial->solver.classes.classes.count, 5);
    marginal_order(&trial->solver, order);

    assert_true(order_of(trial, order, "apart")->freedom < order_of(trial, order, "zonal")->freedom);
    assert_true(order_of(trial, order, "zonal")->freedom < order_of(trial, order, "even")->freedom);
    assert_true(order_of(trial, order, "even")->freedom < order_of(trial, order, "large")->freedom);
    assert_int_equal(order_of(trial, order, "large")->freedom, order_of(trial, order, "small")->freedom);
    assert_true(order_of(trial, order, "large")->size > order_of(trial, order, "small")->size);
    trial_end(trial);
}

// Sizes are shares of all requests: they sum to 1 per resource.
static void sizes_are_shares_of_what_is_asked_for(World *world, Random *random) {
    Trial *trial = trial_begin(world);
    double sum = 0;

    (void)random;
    trial_clear(trial);
    marginal_renew(&trial->solver);
    for (vec_each(const PodClass, class, &trial->solver.classes.classes))
        sum += marginal_size(&trial->solver, class) * class->count;
    assert_true(sum > 1.99 && sum < 2.01); // CPU and memory; the resource pods has no weight
    trial_end(trial);
}

TEST(the_size_of_a_pod_is_its_share_of_cpu_and_memory) {
    each_random_world(30, RANDOM_TOPOLOGY | RANDOM_SELECTORS, sizes_are_shares_of_what_is_asked_for);
}

// There is room on the claim that is open.
TEST_F(World, w, a_claim_is_opened_whatever_room_there_is) {
    Trial *trial;

    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .requests = "cpu: 500m");
    world_pods(w, .name = "giant", .requests = "cpu: 900");
    world_pods(w, .name = "api", .requests = "cpu: 1");
    trial = trial_begin(w);
    trial_clear(trial);
    trial_open(trial, "default", "api");
    marginal_renew(&trial->solver);

    assert_true(marginal_open(&trial->solver, trial_class(trial, "web"), 0));
    assert_int_equal(trial_bin_of(trial, "web"), 1);
    assert_false(marginal_open(&trial->solver, trial_class(trial, "giant"), 0));
    trial_end(trial);
}
