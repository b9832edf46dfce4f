// Preferred rules, once more when all pods are placed. Prices here include the worth of rules that are left out.
#include "sched/place/weigh_again.h"

#include "harness/test.h"
#include "sched/support/trial.h"

#include <math.h>

#define WEB            "app: web"
#define BOX(in, costs) .type = "box", .zone = in, .price = costs

static World *boxes(World *w, double in_b) {
    world_weigh_preferences(w);
    world_type(w, .name = "box", .capacity = "cpu: 2, memory: 4Gi, pods: 10", .zones = "");
    world_offering(w, BOX("a", 0.10));
    world_offering(w, BOX("b", in_b));
    world_pool(w, .name = "default");
    return w;
}

TEST_F(World, w, a_rule_that_is_cheap_is_added) {
    Trial *trial;

    world_pods(boxes(w, 0.12), .name = "web", .requests = "cpu: 1500m",
               .spec = AFFINITY(PREFER_NODE(PREFER_TERM(30, IN(ZONE, "b")))));
    trial = trial_begin(w);
    trial->solver.keeps_none = true;
    trial_place(trial, STRATEGY_MARGINAL_PRICE);
    assert_float_equal(trial_price(trial), 0.10 + 0.03, 1e-9);

    assert_true(weigh_again(&trial->solver));

    assert_float_equal(trial_price(trial), 0.12, 1e-9);
    assert_float_equal(trial->solver.classes.classes.items[0].prices[0].drop, 0.02, 1e-9);
    trial_end(trial);
}

TEST_F(World, w, a_rule_that_is_expensive_is_dropped) {
    Trial *trial;

    world_pods(boxes(w, 0.12), .name = "web", .requests = "cpu: 1500m",
               .spec = AFFINITY(PREFER_NODE(PREFER_TERM(10, IN(ZONE, "b")))));
    trial = trial_begin(w);
    trial_clear(trial);
    trial_open(trial, "default", "web");
    assert_float_equal(trial_price(trial), 0.12, 1e-9);

    assert_true(weigh_again(&trial->solver));

    assert_float_equal(trial_price(trial), 0.10 + 0.01, 1e-9);
    assert_float_equal(trial->solver.classes.classes.items[0].prices[0].add, 0.02, 1e-9);
    trial_end(trial);
}

// When both pods drop the spread, it does not matter any more that zone b has none.
TEST_F(World, w, a_spread_that_all_pods_drop_binds_none) {
    Trial *trial;

    world_pods(boxes(w, 0.40), .name = "web", .count = 2, .labels = WEB, .requests = "cpu: 1500m",
               .spec = SPREAD(SKEW_ANYWAY(ZONE, 1, WEB)));
    trial = trial_begin(w);
    trial_clear(trial);
    class_variant(&trial->solver.classes.classes.items[0], 0);
    trial_open(trial, "default", "web");
    trial_open(trial, "default", "web");
    assert_float_equal(trial_price(trial), 0.50, 1e-9);

    assert_true(weigh_again(&trial->solver));

    assert_float_equal(trial_price(trial), 0.20 + 2 * 0.05, 1e-9);
    trial_end(trial);
}

// Pods that are there for the sake of others stay, and no price is known.
TEST_F(World, w, pods_to_which_others_have_affinity_stay) {
    Trial *trial;

    world_pods(boxes(w, 0.12), .name = "web", .labels = WEB, .requests = "cpu: 500m",
               .spec = AFFINITY(PREFER_NODE(PREFER_TERM(10, IN(ZONE, "b")))));
    world_pods(w, .name = "near", .requests = "cpu: 500m", .spec = AFFINITY(NEAR(PODS(ZONE, WEB, ""))));
    trial = trial_begin(w);
    trial_clear(trial);
    trial_put(trial, trial_open(trial, "default", "web"), "near");

    assert_true(weigh_again(&trial->solver));

    assert_float_equal(trial_price(trial), 0.12, 1e-9);
    assert_true(isnan(trial->solver.classes.classes.items[trial_class(trial, "web")].prices[0].drop));
    trial_end(trial);
}

TEST_F(World, w, without_preferred_rules_there_is_nothing_to_do) {
    Trial *trial;

    world_pods(boxes(w, 0.12), .name = "web", .requests = "cpu: 1500m");
    trial = trial_begin(w);
    trial_place(trial, STRATEGY_MARGINAL_PRICE);

    assert_true(weigh_again(&trial->solver));

    assert_float_equal(trial_price(trial), 0.10, 1e-9);
    trial_end(trial);
}
