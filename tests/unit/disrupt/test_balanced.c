// consolidationPolicy Balanced. Reference lifecycle.md 4.15.
#include "disrupt/support/estate.h"

#define BALANCED                                                                                                       \
    .name = "default", .requirements = IN(CAPACITY_TYPE, "on-demand"),                                                 \
    .spec = "disruption: {consolidateAfter: 0s, consolidationPolicy: Balanced, budgets: [{nodes: 100%}]}"

static const char *consolidate(Estate *f) {
    f->options.methods = 1U << METHOD_CONSOLIDATION;
    return estate_pass(f);
}

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
    assert_string_equal(consolidate(f), "consolidation c");
}
