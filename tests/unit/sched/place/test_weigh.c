// Preferences that are weighed: a rule of weight w is kept while it costs the pod at most w percent.
#include "harness/test.h"
#include "sched/support/trial.h"
#include "sched/support/world_plan.h"

#include <math.h>

#define WEB            "app: web"
#define SOFT           "taints: [{key: soft, effect: PreferNoSchedule}]"
#define BOX(in, costs) .type = "box", .zone = in, .price = costs

// A type that costs $0.10 in zone a, 20 % more in b and 60 % more in c, and holds one pod of 1500m.
static World *boxes(World *w) {
    world_weigh_preferences(w);
    world_type(w, .name = "box", .capacity = "cpu: 2, memory: 4Gi, pods: 10", .zones = "");
    world_offering(w, BOX("a", 0.10));
    world_offering(w, BOX("b", 0.12));
    world_offering(w, BOX("c", 0.16));
    world_pool(w, .name = "default");
    return w;
}

static const WeighedRule *rule_of(const Plan *plan, uint32_t group, uint32_t rule) {
    assert_true(group < plan->weighed.count && rule < plan->weighed.items[group].rules.count);
    return &plan->weighed.items[group].rules.items[rule];
}

TEST_F(World, w, a_rule_that_costs_nothing_is_kept) {
    world_weigh_preferences(w);
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .requests = "cpu: 1", .spec = AFFINITY(PREFER_NODE(PREFER_TERM(1, IN(ZONE, "c")))));

    world_plan(w);

    assert_zones(w, "c=1");
}

TEST_F(World, w, a_rule_is_kept_while_it_costs_at_most_its_weight) {
    const WeighedRule *rule;

    world_pods(boxes(w), .name = "web", .requests = "cpu: 1500m",
               .spec = AFFINITY(PREFER_NODE(PREFER_TERM(20, IN(ZONE, "b")))));

    rule = rule_of(world_plan(w), 0, 0);

    assert_zones(w, "b=1");
    assert_int_equal(rule->kept, 1);
    assert_float_equal(rule->dearer_percent, 20, 1e-3);
}

TEST_F(World, w, a_rule_that_costs_more_is_left_out_and_its_price_said) {
    const WeighedRule *rule;
    const Plan *plan;

    world_pods(boxes(w), .name = "web", .requests = "cpu: 1500m",
               .spec = AFFINITY(PREFER_NODE(PREFER_TERM(19, IN(ZONE, "b")))));

    plan = world_plan(w);
    rule = rule_of(plan, 0, 0);

    assert_choice(w, 0, "box a on-demand");
    assert_int_equal(rule->left_out, 1);
    assert_int_equal(rule->weight, 19);
    assert_float_equal(rule->dearer_percent, 20, 1e-3);
    assert_true(slice_eq_text(rule->text, "node affinity: " ZONE " In [b]"));
    assert_float_equal(plan->weighed.items[0].rate, 0.10, 1e-9);
}

TEST_F(World, w, every_strategy_and_effort_weighs) {
    world_pods(boxes(w), .name = "web", .count = 3, .requests = "cpu: 1500m",
               .spec = AFFINITY(PREFER_NODE(PREFER_TERM(30, IN(ZONE, "b")))));
    world_pods(w, .name = "db", .count = 2, .requests = "cpu: 1600m",
               .spec = AFFINITY(PREFER_NODE(PREFER_TERM(30, IN(ZONE, "c")))));

    world_plan(w);

    assert_zones(w, "?=2 b=3"); // who prefers the dear zone does not ask where he is
    for (Strategy strategy = 0; strategy < STRATEGY_COUNT; strategy++)
        assert_float_equal(world_strategy(w, strategy).price_per_hour, 3 * 0.12 + 2 * 0.10, 1e-9);
}

// Karpenter would drop node affinity heaviest first, and with it the light rule that costs nothing.
TEST_F(World, w, a_light_rule_is_kept_beside_a_heavy_one_that_is_too_dear) {
    world_weigh_preferences(w);
    world_pool(w, .name = "default");
    world_pods(
        w, .name = "web", .requests = "cpu: 1",
        .spec = AFFINITY(PREFER_NODE(PREFER_TERM(90, IN(INSTANCE_TYPE, "large")) ", " PREFER_TERM(1, IN(ZONE, "c")))));

    world_plan(w);

    assert_choice(w, 0, "small c spot");
}

TEST_F(World, w, of_rules_that_exclude_each_other_the_heavier_is_kept) {
    const Plan *plan;

    world_weigh_preferences(w);
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .requests = "cpu: 1",
               .spec = AFFINITY(PREFER_NODE(PREFER_TERM(10, IN(ZONE, "a")) ", " PREFER_TERM(60, IN(ZONE, "b")))));

    plan = world_plan(w);

    assert_zones(w, "b=1");
    assert_int_equal(rule_of(plan, 0, 1)->left_out, 1);
    assert_true(isinf(rule_of(plan, 0, 1)->dearer_percent)); // nothing is in both
}

TEST_F(World, w, no_rule_is_worth_a_node_where_there_is_room) {
    world_weigh_preferences(w);
    world_pool(w, .name = "default");
    world_node(w, .name = "node-a", .labels = ZONE ": a", .allocatable = "cpu: 4, memory: 8Gi, pods: 10");
    world_pods(w, .name = "web", .requests = "cpu: 1", .spec = AFFINITY(PREFER_NODE(PREFER_TERM(100, IN(ZONE, "b")))));

    world_plan(w);

    assert_pods_on(w, "node-a", "web");
    assert_claims(w, 0);
}

TEST_F(World, w, room_that_keeps_the_rule_is_taken_first) {
    world_weigh_preferences(w);
    world_pool(w, .name = "default");
    world_node(w, .name = "node-a", .labels = ZONE ": a", .allocatable = "cpu: 4, memory: 8Gi, pods: 10");
    world_node(w, .name = "node-b", .labels = ZONE ": b", .allocatable = "cpu: 2, memory: 8Gi, pods: 10");
    world_pods(w, .name = "web", .count = 3, .requests = "cpu: 1",
               .spec = AFFINITY(PREFER_NODE(PREFER_TERM(1, IN(ZONE, "b")))));

    world_plan(w);

    assert_zones(w, "a=1 b=2");
}

// Three pods share a node of $0.06, $0.02 each; apart each needs its own. The first had it for itself.
TEST_F(World, w, keeping_apart_is_left_out_where_it_costs_nodes) {
    const Plan *plan;

    world_weigh_preferences(w);
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .count = 3, .labels = WEB, .requests = "cpu: 500m",
               .spec = AFFINITY(PREFER_APART(PREFER_POD(90, HOST, WEB))));

    plan = world_plan(w);

    assert_per_node(w, "app=web", "3");
    assert_int_equal(rule_of(plan, 0, 0)->left_out, 2);
    assert_float_equal(rule_of(plan, 0, 0)->dearer_percent, 300, 1e-3);
}

// Each fills a node anyway.
TEST_F(World, w, a_spread_that_costs_nothing_is_kept) {
    world_weigh_preferences(w);
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .count = 3, .labels = WEB, .requests = "cpu: 2",
               .spec = SPREAD(SKEW_ANYWAY(ZONE, 1, WEB)));

    world_plan(w);

    assert_zones(w, "a=1 b=1 c=1");
}

// Two zones at 20 % more are within the 50 % that a spread is worth, 60 % are not.
TEST_F(World, w, a_spread_is_worth_half_of_the_pod) {
    world_pods(boxes(w), .name = "web", .count = 2, .labels = WEB, .requests = "cpu: 1500m",
               .spec = SPREAD(SKEW_ANYWAY(ZONE, 1, WEB)));

    world_plan(w);

    assert_zones(w, "a=1 b=1");
}

TEST_F(World, w, a_soft_taint_is_tolerated_where_keeping_off_costs_more_than_half) {
    world_weigh_preferences(w);
    world_type(w, .name = "cheap", .capacity = "cpu: 2, memory: 4Gi, pods: 10", .price = 0.10);
    world_type(w, .name = "dear", .capacity = "cpu: 2, memory: 4Gi, pods: 10", .price = 0.16);
    world_type(w, .name = "fair", .capacity = "cpu: 2, memory: 4Gi, pods: 10", .price = 0.14);
    world_pool(w, .name = "soft", .template = SOFT, .types = "cheap");
    world_pool(w, .name = "plain", .types = "dear");
    world_pods(w, .name = "web", .requests = "cpu: 1");

    world_plan(w);
    assert_pool(w, 0, "soft");

    world_drop_pools(w);
    world_pool(w, .name = "soft", .template = SOFT, .types = "cheap");
    world_pool(w, .name = "plain", .types = "fair");
    world_plan(w);
    assert_pool(w, 0, "plain");
}

TEST_F(World, w, terms_that_are_required_stay_alternatives) {
    world_weigh_preferences(w);
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .requests = "cpu: 1",
               .spec = AFFINITY(NODE_BOTH(TERM(IN(CAPACITY_TYPE, "on-demand")) ", " TERM(IN(INSTANCE_TYPE, "small")),
                                          PREFER_TERM(5, IN(ZONE, "b")))));

    world_plan(w);

    assert_choice(w, 0, "small b spot");
}

TEST_F(World, w, a_claim_requires_what_its_pods_keep) {
    world_weigh_preferences(w);
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .requests = "cpu: 1",
               .spec = AFFINITY(PREFER_NODE(PREFER_TERM(5, NOT_IN("disk", "slow")))));
    world_pods(w, .name = "slow", .requests = "cpu: 1", .spec = AFFINITY(PREFER_NODE(PREFER_TERM(5, EXISTS("disk")))));

    world_plan(w);

    assert_pending(w, "");
}

// The limit leaves room for three of them.
TEST_F(World, w, who_has_a_place_without_preferences_has_one) {
    world_weigh_preferences(w);
    world_pool(w, .name = "default", .spec = "limits: {cpu: 4}");
    world_pods(w, .name = "web", .count = 2, .labels = WEB, .requests = "cpu: 2",
               .spec = AFFINITY(PREFER_NODE(PREFER_TERM(100, IN(INSTANCE_TYPE, "medium")))));
    world_pods(w, .name = "apart", .count = 2, .labels = WEB, .requests = "cpu: 900m",
               .spec = AFFINITY(PREFER_APART(PREFER_POD(100, HOST, WEB))));

    world_plan(w);

    assert_pending_count(w, 1);
}

TEST_F(World, w, nothing_is_weighed_under_other_policies) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .requests = "cpu: 1", .spec = AFFINITY(PREFER_NODE(PREFER_TERM(1, IN(ZONE, "c")))));

    assert_int_equal(world_plan(w)->weighed.count, 0);
}

// As with Ignore, but the plan says which rules were left out.
TEST_F(World, w, rules_that_are_left_out_for_the_sake_of_places_are_reported) {
    Plan plan;

    world_pods(boxes(w), .name = "web", .requests = "cpu: 1500m",
               .spec = AFFINITY(PREFER_NODE(PREFER_TERM(90, IN(ZONE, "b")))));
    world_plan(w);
    plan = world_search(w, (PlanSearch){.keeps_none = true});

    assert_float_equal(plan.price_per_hour, 0.10, 1e-9);
    assert_int_equal(rule_of(&plan, 0, 0)->left_out, 1);
    assert_true(isnan(rule_of(&plan, 0, 0)->dearer_percent));
}
