// Preferred rules as one list.
#include "sched/input/preferred_rules.h"

#include "harness/test.h"

static Arena arena;

static void tear_down(void) {
    arena_free(&arena);
}
AFTER_EACH(tear_down);

static PodSpec with_node_terms(const int32_t *weights, uint32_t count) {
    PodSpec spec = {0};

    for (uint32_t i = 0; i < count; i++)
        vec_push(&arena, &spec.preferred_node_terms, (NodeTerm){.weight = weights[i]});
    return spec;
}

TEST(the_heaviest_come_first_and_equal_ones_as_they_are_listed) {
    static const int32_t weights[] = {10, 50, 70, 50};
    PodSpec spec = with_node_terms(weights, 4);
    TopologySpreadVec spreads = {0};
    PreferredRuleVec rules;

    vec_push(&arena, &spreads, (TopologySpread){.schedule_anyway = false});
    vec_push(&arena, &spreads, (TopologySpread){.schedule_anyway = true});
    rules = preferred_rules(&arena, &spec, &spreads, true);

    assert_int_equal(rules.count, 6);
    assert_int_equal(rules.items[0].index, 2);
    assert_int_equal(rules.items[1].index, 1);
    assert_int_equal(rules.items[2].index, 3);
    assert_int_equal(rules.items[3].kind, RULE_SPREAD);
    assert_int_equal(rules.items[3].index, 1);
    assert_int_equal(rules.items[4].kind, RULE_TAINTS);
    assert_int_equal(rules.items[5].weight, 10);
}

TEST(who_tolerates_all_soft_taints_prefers_nothing) {
    PodSpec spec = {0};
    TopologySpreadVec spreads = {0};

    vec_push(&arena, &spec.tolerations, (Toleration){.op = TOLERATION_EXISTS});

    assert_int_equal(preferred_rules(&arena, &spec, &spreads, true).count, 0);
}

TEST(a_weight_of_100_is_worth_a_little_less_than_all_of_the_pod) {
    static const int32_t weights[] = {100, 20};
    PodSpec spec = with_node_terms(weights, 2);
    TopologySpreadVec spreads = {0};
    PreferredRuleVec rules = preferred_rules(&arena, &spec, &spreads, false);

    assert_float_equal(preferred_rules_worth(&rules, 1), 0.99, 1e-12);
    assert_float_equal(preferred_rules_worth(&rules, 2), 0.2, 1e-12);
    assert_float_equal(preferred_rules_worth(&rules, preferred_rules_all(&rules)), 1.19, 1e-12);
}

TEST(the_lightest_of_many_share_a_bit) {
    int32_t weights[20];
    PodSpec spec;
    TopologySpreadVec spreads = {0};
    PreferredRuleVec rules;

    for (int32_t i = 0; i < 20; i++)
        weights[i] = 20 - i;
    spec = with_node_terms(weights, 20);
    rules = preferred_rules(&arena, &spec, &spreads, false);

    assert_int_equal(preferred_rule_bit(14), 1 << 14);
    assert_int_equal(preferred_rule_bit(15), 1 << 15);
    assert_int_equal(preferred_rule_bit(19), 1 << 15);
    assert_int_equal(preferred_rules_all(&rules), 0xffff);
    assert_float_equal(preferred_rules_worth(&rules, 1 << 15), 0.15, 1e-12); // 5 + 4 + 3 + 2 + 1
}
