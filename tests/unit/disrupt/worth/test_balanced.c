// consolidationPolicy Balanced. Reference lifecycle.md 4.15.
#include "disrupt/support/estate.h"
#include "disrupt/worth/balanced.h"

#include <math.h>

#define BALANCED                                                                                                       \
    .name = "default", .requirements = IN(CAPACITY_TYPE, "on-demand"),                                                 \
    .spec = "disruption: {consolidateAfter: 0s, consolidationPolicy: Balanced, budgets: [{nodes: 100%}]}"

static const char *consolidate(Estate *f) {
    f->options.methods = 1U << METHOD_CONSOLIDATION;
    return estate_pass(f);
}

// --- the score

TEST(scores_are_shares_over_shares) {
    static const struct {
        const char *what;
        double saving, disruption, pool_price, pool_disruption, score;
        bool is_enough;
    } moves[] = {
        {"a node too large for its pods", 7.5, 4, 60, 90, 2.8125, true},
        {"a node that is not needed", 5, 5, 60, 90, 1.5, true},
        {"little saving, many pods", 2.5, 9, 60, 90, 5.0 / 12, false},
        {"no saving", 0, 11, 60, 90, 0, false},
        {"the same little saving, of a larger share", 2.5, 9, 50, 90, 0.5, true},
        {"few pods", 5, 5, 60, 120, 2, true},
        {"many pods", 5, 32, 60, 120, 0.3125, false},
        {"ten times as large a pool", 7.5, 4, 600, 900, 2.8125, true},
        {"no disruption", 5, 0, 60, 90, INFINITY, true},
        {"neither saving nor disruption", 0, 0, 60, 90, 0, false},
        {"a pool that costs nothing", 5, 5, 0, 90, 0, false},
        {"a pool of which nothing is known", 5, 5, 0, 0, 0, false},
        {"a tenth of a dear pool", 5, 4, 50, 90, 2.25, true},
        {"a tenth of a cheap one", 1.5, 4, 15, 90, 2.25, true},
        {"much for little", 20, 5, 100, 100, 4, true},
        {"equal shares", 10, 10, 100, 100, 1, true},
        {"little for much", 5, 50, 100, 100, 0.1, false},
        {"a loss", -5, 10, 100, 100, 0, false},
    };

    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) {
        BalancedScore score =
            balanced_score(moves[i].saving, moves[i].disruption, moves[i].pool_price, moves[i].pool_disruption);
        bool is_equal = isinf(moves[i].score) ? isinf(score.score) : fabs(score.score - moves[i].score) < 1e-9;

        if (!is_equal || balanced_is_enough(score.score) != moves[i].is_enough)
            fail_msg("%s: %f", moves[i].what, score.score);
    }
}

// --- moves of one pool

TEST_F(Estate, f, deleting_the_only_node_of_a_pool_scores_one) {
    world_pool(f->world, BALANCED);
    estate_node(f, .name = "a", .type = "small");
    world_node(f->world, .name = "foreign");
    world_pods(f->world, .name = "w", .requests = "cpu: 1", .node = "a");
    estate_read(f);
    assert_string_equal(consolidate(f), "consolidation a");
    assert_string_equal(estate_note(f, "a", "ConsolidationApproved"),
                        "score 1.00 >= threshold 0.50 (k: 2, savings 100.0%, disruption 100.0%)");
}

TEST_F(Estate, f, a_replacement_must_halve_the_price) {
    world_type(f->world, .name = "old", .capacity = "cpu: 4, memory: 16Gi, pods: 10", .price = 0.2);
    world_type(f->world, .name = "new", .capacity = "cpu: 4, memory: 16Gi, pods: 10", .price = 0.11);
    world_pool(f->world, BALANCED);
    estate_node(f, .name = "a", .type = "old");
    world_pods(f->world, .name = "w", .requests = "cpu: 3", .node = "a");
    estate_read(f);
    assert_string_equal(consolidate(f), "");
    assert_string_equal(estate_note(f, "a", "ConsolidationApproved"), "");
    assert_int_equal(f->pass.moves.count, 1);
    assert_false(f->pass.moves.items[0].is_approved);
    assert_true(fabs(f->pass.moves.items[0].score - 0.45) < 1e-9);
    for (vec_each(InstanceType, type, f->facts.pools.items[0].types)) {
        for (vec_each(Offering, offering, &type->offerings)) {
            if (offering->price_per_hour < 0.12)
                offering->price_per_hour = 0.1;
        }
    }
    assert_string_equal(consolidate(f), "consolidation a => new on-demand");
    assert_string_equal(estate_note(f, "a", "ConsolidationApproved"),
                        "score 0.50 >= threshold 0.50 (k: 2, savings 50.0%, disruption 100.0%)");
}

TEST_F(Estate, f, a_cheap_node_with_many_pods_stays) {
    world_pool(f->world, BALANCED);
    estate_node(f, .name = "a", .type = "small");
    estate_node(f, .name = "b", .type = "huge");
    world_pods(f->world, .name = "w", .count = 9, .requests = "cpu: 100m", .node = "a");
    world_pods(f->world, .name = "v", .requests = "cpu: 9", .node = "b");
    estate_read(f);
    // 11 % of the price for 10 of 12 units of disruption.
    assert_string_equal(consolidate(f), "");
}

TEST_F(Estate, f, other_policies_do_not_ask) {
    world_pool(f->world, BALANCED);
    estate_node(f, .name = "a", .type = "small");
    estate_node(f, .name = "b", .type = "huge");
    world_pods(f->world, .name = "w", .count = 9, .requests = "cpu: 100m", .node = "a");
    world_pods(f->world, .name = "v", .requests = "cpu: 9", .node = "b");
    estate_read(f);
    estate_pool(f, "default")->disruption.policy = CONSOLIDATE_WHEN_EMPTY_OR_UNDERUTILIZED;
    assert_string_equal(consolidate(f), "consolidation a");
    assert_string_equal(estate_note(f, "a", "ConsolidationApproved"), "");
    assert_int_equal(f->pass.moves.count, 1);
    assert_true(isnan(f->pass.moves.items[0].score));
    estate_pool(f, "default")->disruption.policy = CONSOLIDATE_WHEN_EMPTY;
    assert_string_equal(consolidate(f), "");
    assert_int_equal(f->pass.moves.count, 0);
}

TEST_F(Estate, f, each_balanced_pool_of_a_move_must_agree) {
    world_pool(f->world, BALANCED);
    world_pool(f->world, .name = "other", .requirements = IN(CAPACITY_TYPE, "on-demand"),
               .spec = "disruption: {consolidateAfter: 0s, budgets: [{nodes: 100%}]}");
    estate_node(f, .name = "a", .type = "small");
    estate_node(f, .name = "b", .type = "huge");
    estate_node(f, .name = "c", .type = "small", .pool = "other");
    world_pods(f->world, .name = "w", .count = 4, .requests = "cpu: 100m", .node = "a");
    world_pods(f->world, .name = "v", .requests = "cpu: 9", .node = "b");
    world_pods(f->world, .name = "u", .count = 4, .requests = "cpu: 100m", .node = "c");
    estate_read(f);
    estate_unmark(f, "b", "Consolidatable");
    assert_string_equal(consolidate(f), "consolidation c");
    estate_pool(f, "default")->disruption.policy = CONSOLIDATE_WHEN_EMPTY_OR_UNDERUTILIZED;
    assert_string_equal(consolidate(f), "consolidation a c");
}

TEST_F(Estate, f, one_of_ten_equal_nodes_scores_one) {
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};

    world_pool(f->world, .name = "default", .requirements = IN(CAPACITY_TYPE, "on-demand"),
               .spec = "disruption: {consolidateAfter: 0s, consolidationPolicy: Balanced, budgets: [{nodes: '1'}]}");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        estate_node(f, .name = names[i], .type = "small");
        world_pods(f->world, .name = names[i], .requests = "cpu: 1", .node = names[i]);
    }
    estate_read(f);
    assert_string_equal(consolidate(f), "consolidation a");
    assert_string_equal(estate_note(f, "a", "ConsolidationApproved"),
                        "score 1.00 >= threshold 0.50 (k: 2, savings 10.0%, disruption 10.0%)");
}

TEST_F(Estate, f, nodes_that_may_not_go_count_in_the_pools_totals) {
    world_pool(f->world, BALANCED);
    estate_node(f, .name = "a", .type = "small");
    estate_node(f, .name = "b", .type = "small");
    world_node(f->world, .name = "foreign");
    world_pods(f->world, .name = "w", .requests = "cpu: 1", .node = "a");
    world_pods(f->world, .name = "v", .requests = "cpu: 1", .node = "b");
    estate_read(f);
    estate_unmark(f, "b", "Consolidatable");
    assert_string_equal(consolidate(f), "consolidation a");
    assert_string_equal(estate_note(f, "a", "ConsolidationApproved"),
                        "score 1.00 >= threshold 0.50 (k: 2, savings 50.0%, disruption 50.0%)");
}

static void beside_a_node_without_a_price(Estate *f, const char *type) {
    world_pool(f->world, BALANCED);
    estate_node(f, .name = "a", .type = "small");
    estate_node(f, .name = "b", .type = type);
    world_node(f->world, .name = "foreign");
    world_pods(f->world, .name = "w", .requests = "cpu: 1", .node = "a");
    world_pods(f->world, .name = "v", .count = 5, .requests = "cpu: 100m", .node = "b");
    estate_read(f);
    estate_unmark(f, "b", "Consolidatable");
}

TEST_F(Estate, f, a_node_of_an_unknown_type_adds_to_the_disruption_alone) {
    beside_a_node_without_a_price(f, "gone");
    assert_string_equal(consolidate(f), "consolidation a");
    assert_string_equal(estate_note(f, "a", "ConsolidationApproved"),
                        "score 4.00 >= threshold 0.50 (k: 2, savings 100.0%, disruption 25.0%)");
}

TEST_F(Estate, f, so_does_one_whose_price_is_no_number) {
    beside_a_node_without_a_price(f, "huge");
    for (vec_each(InstanceType, type, f->facts.pools.items[0].types)) {
        for (vec_each(Offering, offering, &type->offerings))
            offering->price_per_hour = offering->price_per_hour > 0.2 ? NAN : offering->price_per_hour;
    }
    assert_string_equal(consolidate(f), "consolidation a");
    assert_string_equal(estate_note(f, "a", "ConsolidationApproved"),
                        "score 4.00 >= threshold 0.50 (k: 2, savings 100.0%, disruption 25.0%)");
}

// On-demand it saves a fifth of the price; the spot offerings would save four.
TEST_F(Estate, f, offerings_that_the_pool_does_not_allow_save_nothing) {
    world_type(f->world, .name = "old", .capacity = "cpu: 4, memory: 16Gi, pods: 10", .capacity_types = "on-demand",
               .price = 0.5);
    world_type(f->world, .name = "new", .capacity = "cpu: 4, memory: 16Gi, pods: 10", .zones = "");
    world_offering(f->world, .type = "new", .zone = "a", .capacity_type = "spot", .price = 0.1);
    world_offering(f->world, .type = "new", .zone = "a", .price = 0.4);
    world_pool(f->world, BALANCED);
    estate_node(f, .name = "a", .type = "old");
    world_pods(f->world, .name = "w", .requests = "cpu: 3", .node = "a");
    estate_read(f);
    assert_string_equal(consolidate(f), "");
    assert_int_equal(f->pass.moves.count, 1);
    assert_true(fabs(f->pass.moves.items[0].score - 0.2) < 1e-9);
    estate_pool(f, "default")->disruption.policy = CONSOLIDATE_WHEN_EMPTY_OR_UNDERUTILIZED;
    assert_string_equal(consolidate(f), "consolidation a => new on-demand");
    assert_true(fabs(f->pass.commands.items[0].saving_per_hour - 0.1) < 1e-9);
}

// --- moves of several pools

// Nodes "a" and "b" of two pools, whose pods have room elsewhere; "b" costs twice as much.
static void two_pools(Estate *f, int pods_of_b) {
    world_pool(f->world, BALANCED);
    world_pool(f->world, .name = "other", .requirements = IN(CAPACITY_TYPE, "on-demand"),
               .spec = "disruption: {consolidateAfter: 0s, consolidationPolicy: Balanced, budgets: [{nodes: 100%}]}");
    estate_node(f, .name = "a", .type = "small");
    estate_node(f, .name = "b", .type = "medium", .pool = "other");
    estate_node(f, .name = "c", .type = "large", .pool = "other");
    world_node(f->world, .name = "foreign");
    world_pods(f->world, .name = "w", .requests = "cpu: 1", .node = "a");
    world_pods(f->world, .name = "v", .count = pods_of_b, .requests = "cpu: 100m", .node = "b");
    world_pods(f->world, .name = "u", .requests = "cpu: 1", .node = "c");
    estate_read(f);
    estate_unmark(f, "c", "Consolidatable");
}

TEST_F(Estate, f, pools_share_the_saving_by_the_prices_of_their_nodes) {
    two_pools(f, 1);
    assert_string_equal(consolidate(f), "consolidation b a");
    assert_string_equal(estate_note(f, "default", "ConsolidationApproved"),
                        "score 1.00 >= threshold 0.50 (k: 2, savings 100.0%, disruption 100.0%)");
    assert_string_equal(estate_note(f, "other", "ConsolidationApproved"),
                        "score 0.67 >= threshold 0.50 (k: 2, savings 33.3%, disruption 50.0%)");
}

TEST_F(Estate, f, every_pool_of_a_move_that_is_refused_has_its_score) {
    two_pools(f, 9);
    assert_string_equal(consolidate(f), "consolidation a");
    assert_int_equal(f->pass.moves.count, 3); // of both together, then of "a"
    for (uint32_t i = 0; i < 2; i++)
        assert_false(f->pass.moves.items[i].is_approved);
    assert_true(f->pass.moves.items[0].pool_approves != f->pass.moves.items[1].pool_approves);
    assert_true(f->pass.moves.items[2].is_approved && f->pass.moves.items[2].pool_approves);
}

// --- the fleet search

static const char *consolidate_fleet(Estate *f) {
    f->options.consolidation = CONSOLIDATION_FLEET;
    return consolidate(f);
}

TEST_F(Estate, f, the_fleet_search_asks_balanced_pools_too) {
    world_pool(f->world, BALANCED);
    estate_node(f, .name = "a", .type = "small");
    estate_node(f, .name = "b", .type = "huge");
    world_pods(f->world, .name = "w", .count = 9, .requests = "cpu: 100m", .node = "a");
    world_pods(f->world, .name = "v", .requests = "cpu: 9", .node = "b");
    estate_read(f);
    assert_string_equal(consolidate_fleet(f), "");
    assert_string_equal(estate_note(f, "a", "Unconsolidatable"), "Can't replace with a cheaper node");
    estate_pool(f, "default")->disruption.policy = CONSOLIDATE_WHEN_EMPTY_OR_UNDERUTILIZED;
    assert_string_equal(consolidate_fleet(f), "consolidation a");
}

TEST_F(Estate, f, a_move_of_the_fleet_search_that_scores_high_is_told) {
    world_pool(f->world, BALANCED);
    estate_node(f, .name = "a", .type = "small");
    world_node(f->world, .name = "foreign");
    world_pods(f->world, .name = "w", .requests = "cpu: 1", .node = "a");
    estate_read(f);
    assert_string_equal(consolidate_fleet(f), "consolidation a");
    assert_string_equal(estate_note(f, "a", "ConsolidationApproved"),
                        "score 1.00 >= threshold 0.50 (k: 2, savings 100.0%, disruption 100.0%)");
}
