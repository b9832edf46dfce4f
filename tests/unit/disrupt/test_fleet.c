// Consolidation of the whole fleet: what goes, what comes, and why a node stays.
#include "disrupt/support/estate.h"

#include <string.h>

#define DISRUPTION(nodes) .spec = "disruption: {consolidateAfter: 0s, budgets: [{nodes: '" nodes "'}]}"
#define ON_DEMAND         .name = "default", .requirements = IN(CAPACITY_TYPE, "on-demand")

static const char *consolidate(Estate *f) {
    f->options.methods = 1U << METHOD_CONSOLIDATION;
    f->options.consolidation = CONSOLIDATION_FLEET;
    return estate_pass(f);
}

TEST_F(Estate, f, a_node_whose_pods_fit_elsewhere_goes) {
    world_pool(f->world, ON_DEMAND, DISRUPTION("100%"));
    estate_node(f, .name = "a", .type = "small");
    estate_node(f, .name = "b", .type = "medium");
    world_pods(f->world, .name = "w", .requests = "cpu: 1", .node = "a");
    world_pods(f->world, .name = "v", .requests = "cpu: 2500m", .node = "b");
    estate_read(f);
    assert_string_equal(consolidate(f), "consolidation a");
    assert_int_equal(f->pass.commands.items[0].pods, 1);
    assert_int_equal(f->pass.commands.items[0].destinations.count, 1);
    assert_int_equal(f->pass.commands.items[0].destinations.items[0], estate_at(f, "b"));
}

TEST_F(Estate, f, one_that_is_too_large_is_replaced_by_what_is_never_dearer) {
    world_pool(f->world, ON_DEMAND, DISRUPTION("100%"));
    estate_node(f, .name = "a", .type = "huge");
    world_pods(f->world, .name = "w", .requests = "cpu: 3", .node = "a");
    estate_read(f);
    assert_string_equal(consolidate(f), "consolidation a => medium on-demand");
    for (vec_each(const InstanceType *, type, &f->pass.commands.items[0].replacements.items[0].types))
        assert_true((*type)->offerings.items[0].price_per_hour < f->pass.commands.items[0].price_per_hour);
}

TEST_F(Estate, f, nodes_go_only_as_far_as_the_budget_allows) {
    world_pool(f->world, ON_DEMAND, DISRUPTION("1"));
    estate_node(f, .name = "a", .type = "small");
    estate_node(f, .name = "b", .type = "small");
    estate_node(f, .name = "c", .type = "huge");
    world_pods(f->world, .name = "w", .requests = "cpu: 500m", .node = "a");
    world_pods(f->world, .name = "x", .requests = "cpu: 600m", .node = "b");
    world_pods(f->world, .name = "v", .requests = "cpu: 13", .node = "c");
    estate_read(f);
    assert_string_equal(consolidate(f), "consolidation a");
    assert_false(f->pass.consolidated);
}

TEST_F(Estate, f, a_full_node_stays_and_says_what_its_pods_are_worth) {
    world_pool(f->world, ON_DEMAND, DISRUPTION("100%"));
    estate_node(f, .name = "a", .type = "medium");
    world_pods(f->world, .name = "w", .requests = "cpu: 3900m", .node = "a");
    estate_read(f);
    assert_string_equal(consolidate(f), "");
    assert_true(strstr(estate_note(f, "a", "Unconsolidatable"), "osts $") != NULL ||
                strstr(estate_note(f, "a", "Unconsolidatable"), "would cost $") != NULL);
    assert_true(f->pass.consolidated);
}
