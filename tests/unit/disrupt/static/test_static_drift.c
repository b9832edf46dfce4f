// Drift of static pools. Reference lifecycle.md 4.9.
#include "disrupt/support/estate.h"

#define STATIC(more)                                                                                                   \
    .name = "default", .labels = "team: a", .spec = "replicas: 3, disruption: {budgets: [{nodes: 100%}]}" more

static void three_nodes(Estate *f) {
    estate_node(f, .name = "a", .type = "small");
    estate_node(f, .name = "b", .type = "small");
    estate_node(f, .name = "c", .type = "small");
    world_pods(f->world, .name = "w", .requests = "cpu: 1", .node = "a");
    estate_read(f);
    estate_mark(f, "a", "Drifted", 5);
    estate_mark(f, "b", "Drifted", 5);
}

TEST_F(Estate, f, one_for_one_from_the_template) {
    const PlannedClaim *claim;

    world_pool(f->world, STATIC(""));
    three_nodes(f);
    assert_string_equal(estate_pass(f), "static-drift a => default; static-drift b => default");
    claim = &f->pass.commands.items[0].replacements.items[0];
    assert_int_equal(f->pass.commands.items[0].pods, 1);
    assert_int_equal(claim->types.count, 0);
    assert_ptr_equal(claim->pool, estate_pool(f, "default"));
    assert_int_not_equal(labels_get(&claim->labels, NAME_NODEPOOL), INDEX_NONE);
    assert_true(f->pass.commands.items[0].saving_per_hour == 0);
}

TEST_F(Estate, f, as_many_as_the_limit_leaves_room_for) {
    world_pool(f->world, STATIC(", limits: {nodes: 4}"));
    three_nodes(f);
    assert_string_equal(estate_pass(f), "static-drift a => default");
}

TEST_F(Estate, f, none_at_the_limit) {
    world_pool(f->world, STATIC(", limits: {nodes: 3}"));
    three_nodes(f);
    assert_string_equal(estate_pass(f), "");
    assert_int_equal(f->pass.eligible[METHOD_STATIC_DRIFT], 2);
}

TEST_F(Estate, f, behind_a_gate_nodes_at_the_limit_go_before_others_come) {
    DisruptCommand proven;

    world_pool(f->world, STATIC(", limits: {nodes: 3}"));
    three_nodes(f);
    f->options.terminate_first_drift = true;
    assert_string_equal(estate_pass(f), "static-drift a; static-drift b");
    assert_string_equal(estate_prove(f, &f->pass.commands.items[0], &proven), "");
    assert_string_equal(estate_command_text(f, &proven), "static-drift a");
}

TEST_F(Estate, f, where_there_is_room_they_are_replaced_in_spite_of_it) {
    world_pool(f->world, STATIC(", limits: {nodes: 4}"));
    three_nodes(f);
    f->options.terminate_first_drift = true;
    assert_string_equal(estate_pass(f), "static-drift a => default");
}

TEST_F(Estate, f, a_pool_that_is_too_large_shrinks_first) {
    world_pool(f->world, STATIC(""));
    three_nodes(f);
    estate_pool(f, "default")->replicas = 2;
    assert_string_equal(estate_pass(f), "");
}

TEST_F(Estate, f, as_many_as_the_budget_allows) {
    world_pool(f->world, .name = "default", .spec = "replicas: 3, disruption: {budgets: [{nodes: \"1\"}]}");
    three_nodes(f);
    assert_string_equal(estate_pass(f), "static-drift a => default");
}

TEST_F(Estate, f, nothing_else_touches_a_static_pool) {
    world_pool(f->world, .name = "default", .spec = "replicas: 1, disruption: {consolidateAfter: 0s}");
    estate_node(f, .name = "a", .type = "huge");
    estate_read(f);
    assert_string_equal(estate_pass(f), "");
    for (DisruptMethod method = 0; method < DISRUPT_METHOD_COUNT; method++)
        assert_int_equal(f->pass.eligible[method], 0);
}

TEST_F(Estate, f, its_proof) {
    DisruptCommand proven;

    world_pool(f->world, STATIC(""));
    three_nodes(f);
    (void)estate_pass(f);
    assert_string_equal(estate_prove(f, &f->pass.commands.items[1], &proven), "");
    assert_string_equal(estate_command_text(f, &proven), "static-drift b => default");
}
