// Drift of static pools. Reference lifecycle.md 4.9.
#include "disrupt/support/fleet.h"

#define STATIC(more)                                                                                                   \
    .name = "default", .labels = "team: a", .spec = "replicas: 3, disruption: {budgets: [{nodes: 100%}]}" more

static void three_nodes(Fleet *f) {
    fleet_node(f, .name = "a", .type = "small");
    fleet_node(f, .name = "b", .type = "small");
    fleet_node(f, .name = "c", .type = "small");
    world_pods(f->world, .name = "w", .requests = "cpu: 1", .node = "a");
    fleet_read(f);
    fleet_mark(f, "a", "Drifted", 5);
    fleet_mark(f, "b", "Drifted", 5);
}

TEST_F(Fleet, f, one_for_one_from_the_template) {
    const PlannedClaim *claim;

    world_pool(f->world, STATIC(""));
    three_nodes(f);
    assert_string_equal(fleet_pass(f), "static-drift a => default; static-drift b => default");
    claim = &f->pass.commands.items[0].replacements.items[0];
    assert_int_equal(f->pass.commands.items[0].pods, 1);
    assert_int_equal(claim->types.count, 0);
    assert_ptr_equal(claim->pool, fleet_pool(f, "default"));
    assert_int_not_equal(labels_get(&claim->labels, NAME_NODEPOOL), INDEX_NONE);
    assert_true(f->pass.commands.items[0].saving_per_hour == 0);
}

TEST_F(Fleet, f, as_many_as_the_limit_leaves_room_for) {
    world_pool(f->world, STATIC(", limits: {nodes: 4}"));
    three_nodes(f);
    assert_string_equal(fleet_pass(f), "static-drift a => default");
}

TEST_F(Fleet, f, none_at_the_limit) {
    world_pool(f->world, STATIC(", limits: {nodes: 3}"));
    three_nodes(f);
    assert_string_equal(fleet_pass(f), "");
    assert_int_equal(f->pass.eligible[METHOD_STATIC_DRIFT], 2);
}

TEST_F(Fleet, f, a_pool_that_is_too_large_shrinks_first) {
    world_pool(f->world, STATIC(""));
    three_nodes(f);
    fleet_pool(f, "default")->replicas = 2;
    assert_string_equal(fleet_pass(f), "");
}

TEST_F(Fleet, f, as_many_as_the_budget_allows) {
    world_pool(f->world, .name = "default", .spec = "replicas: 3, disruption: {budgets: [{nodes: \"1\"}]}");
    three_nodes(f);
    assert_string_equal(fleet_pass(f), "static-drift a => default");
}

TEST_F(Fleet, f, nothing_else_touches_a_static_pool) {
    world_pool(f->world, .name = "default", .spec = "replicas: 1, disruption: {consolidateAfter: 0s}");
    fleet_node(f, .name = "a", .type = "huge");
    fleet_read(f);
    assert_string_equal(fleet_pass(f), "");
    for (DisruptMethod method = 0; method < DISRUPT_METHOD_COUNT; method++)
        assert_int_equal(f->pass.eligible[method], 0);
}

TEST_F(Fleet, f, its_proof) {
    DisruptCommand proven;

    world_pool(f->world, STATIC(""));
    three_nodes(f);
    (void)fleet_pass(f);
    assert_string_equal(fleet_prove(f, &f->pass.commands.items[1], &proven), "");
    assert_string_equal(fleet_command_text(f, &proven), "static-drift b => default");
}
