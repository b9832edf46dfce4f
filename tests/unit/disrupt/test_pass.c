// Passes: the order of the methods, and what each leaves to those after it. Reference lifecycle.md 4.1 to 4.4.
#include "disrupt/support/estate.h"

#include "base/time.h"

#define POOL(budgets)                                                                                                  \
    .name = "default", .requirements = IN(CAPACITY_TYPE, "on-demand"),                                                 \
    .spec = "disruption: {consolidateAfter: 0s, budgets: [" budgets "]}"

// "a" is empty, "b" has drifted, "c" is too large.
static void three_nodes(Estate *f) {
    estate_node(f, .name = "a", .type = "small");
    estate_node(f, .name = "b", .type = "small");
    estate_node(f, .name = "c", .type = "huge");
    world_pods(f->world, .name = "w", .requests = "cpu: 1800m", .node = "b");
    world_pods(f->world, .name = "v", .requests = "cpu: 3", .node = "c", .spec = SELECT(ZONE ": c"));
    estate_read(f);
    estate_mark(f, "b", "Drifted", 5);
    estate_unmark(f, "b", "Consolidatable");
}

TEST_F(Estate, f, one_pass_has_commands_of_all_methods) {
    world_pool(f->world, POOL("{nodes: 100%}"));
    three_nodes(f);
    assert_string_equal(estate_pass(f), "emptiness a; drift b; consolidation c => medium on-demand");
    assert_false(f->pass.consolidated);
    assert_int_equal(f->pass.eligible[METHOD_EMPTINESS], 1);
    assert_int_equal(f->pass.eligible[METHOD_DRIFT], 1);
    assert_int_equal(f->pass.eligible[METHOD_CONSOLIDATION], 1);
}

TEST_F(Estate, f, what_may_not_go_is_not_eligible) {
    world_pool(f->world, POOL("{nodes: 100%}"));
    estate_node(f, .name = "a", .type = "huge");
    estate_node(f, .name = "b", .type = "small");
    world_pods(f->world, .name = "w", .requests = "cpu: 3", .node = "a");
    estate_read(f);
    estate_annotate(f, "a", "karpenter.sh/do-not-disrupt", "true");
    (void)estate_pass(f);
    assert_int_equal(f->pass.eligible[METHOD_CONSOLIDATION], 0);
    assert_int_equal(f->pass.eligible[METHOD_EMPTINESS], 1); // "b"
    estate_annotate(f, "a", "karpenter.sh/do-not-disrupt", "false");
    (void)estate_pass(f);
    assert_int_equal(f->pass.eligible[METHOD_CONSOLIDATION], 1);
    assert_int_equal(f->pass.eligible[METHOD_EMPTINESS], 1);
}

TEST_F(Estate, f, what_one_takes_counts_against_the_budgets_of_those_after_it) {
    world_pool(f->world, POOL("{nodes: \"2\"}"));
    three_nodes(f);
    assert_string_equal(estate_pass(f), "emptiness a; drift b");
    assert_false(f->pass.consolidated);
}

TEST_F(Estate, f, a_budget_of_one_reason_leaves_the_others_alone) {
    world_pool(f->world, POOL("{nodes: \"0\", reasons: [Drifted]}"));
    three_nodes(f);
    assert_string_equal(estate_pass(f), "emptiness a; consolidation c => medium on-demand");
}

TEST_F(Estate, f, pods_do_not_go_to_nodes_of_earlier_commands) {
    world_pool(f->world, POOL("{nodes: 100%}"));
    estate_node(f, .name = "a", .type = "small"); // empty, and the only room
    estate_node(f, .name = "b", .type = "small");
    world_pods(f->world, .name = "w", .requests = "cpu: 1", .node = "b");
    estate_read(f);
    estate_mark(f, "b", "Drifted", 5);
    assert_string_equal(estate_pass(f), "emptiness a; drift b => small on-demand");
}

TEST_F(Estate, f, only_the_methods_that_are_asked_for) {
    world_pool(f->world, POOL("{nodes: 100%}"));
    three_nodes(f);
    f->options.methods = 1U << METHOD_DRIFT;
    assert_string_equal(estate_pass(f), "drift b");
    assert_int_equal(f->pass.eligible[METHOD_EMPTINESS], 0);
    assert_false(f->pass.consolidated);
}

TEST_F(Estate, f, nodes_in_commands_are_passed_over_and_count_as_deleting) {
    world_pool(f->world, POOL("{nodes: \"1\"}"));
    three_nodes(f);
    f->bits[estate_at(f, "a")] = NODE_IN_COMMAND;
    assert_string_equal(estate_pass(f), "");
    assert_int_equal(f->pass.allowances.items[0].consuming, 1);
    assert_string_equal(estate_note(f, "a", "DisruptionBlocked"), "");
}

TEST_F(Estate, f, what_budgets_allow_is_reported_for_each_pool) {
    const PoolAllowance *allowance;

    world_pool(f->world, POOL("{nodes: \"2\", reasons: [Empty]}, {nodes: \"0\", reasons: [Drifted]}"));
    three_nodes(f);
    estate_object(f, "c")->conditions.count = 0;
    (void)estate_pass(f);
    assert_int_equal(f->pass.allowances.count, 1);
    allowance = &f->pass.allowances.items[0];
    assert_int_equal(allowance->allowed[DISRUPTION_EMPTY], 2);
    assert_int_equal(allowance->allowed[DISRUPTION_DRIFTED], 0);
    assert_int_equal(allowance->allowed[DISRUPTION_UNDERUTILIZED], BUDGET_UNLIMITED);
    assert_int_equal(allowance->consuming, 1);
}

TEST_F(Estate, f, what_the_nodes_of_a_pool_cost_is_reported) {
    double price;

    world_pool(f->world, POOL("{nodes: \"0\"}"));
    three_nodes(f);
    f->bits[estate_at(f, "a")] = NODE_IN_COMMAND; // it costs as much as before
    (void)estate_pass(f);
    assert_int_equal(f->pass.costs.count, 1);
    assert_true(f->pass.costs.items[0].pool == estate_pool(f, "default")->meta.name);
    assert_int_equal(f->pass.costs.items[0].unpriced, 0);
    price = f->pass.costs.items[0].price_per_hour;
    assert_true(price > 0);

    labels_set(&f->arena, &f->facts.nodes.items[estate_at(f, "a")].labels, NAME_ZONE, NAME_SPOT); // nowhere
    (void)estate_pass(f);
    assert_int_equal(f->pass.costs.items[0].unpriced, 1);
    assert_true(f->pass.costs.items[0].price_per_hour < price);
}

TEST_F(Estate, f, what_blocks_a_node_is_noted_once) {
    uint32_t notes = 0;

    world_pool(f->world, POOL("{nodes: 100%}"));
    estate_node(f, .name = "a", .type = "small");
    estate_read(f);
    f->bits[estate_at(f, "a")] = NODE_NOMINATED;
    assert_string_equal(estate_pass(f), "");
    for (vec_each(const DisruptNote, note, &f->pass.notes))
        notes += strcmp(note->reason, "DisruptionBlocked") == 0;
    assert_int_equal(notes, 1);
    assert_string_equal(estate_note(f, "a", "DisruptionBlocked"), "Node is nominated for a pending pod");
}

TEST_F(Estate, f, a_fleet_of_nothing_is_consolidated) {
    estate_read(f);
    assert_string_equal(estate_pass(f), "");
    assert_true(f->pass.consolidated);
}

TEST_F(Estate, f, a_planner_that_is_stopped_leaves_it_unconsolidated) {
    atomic_bool cancelled = true;

    world_pool(f->world, POOL("{nodes: 100%}"));
    three_nodes(f);
    f->options.search.cancelled = &cancelled;
    assert_string_equal(estate_pass(f), "emptiness a");
    assert_false(f->pass.consolidated);
}

TEST_F(Estate, f, reasons_of_methods) {
    (void)f;
    assert_int_equal(disrupt_method_reason(METHOD_EMPTINESS), DISRUPTION_EMPTY);
    assert_int_equal(disrupt_method_reason(METHOD_REPAIR), DISRUPTION_UNHEALTHY);
    assert_int_equal(disrupt_method_reason(METHOD_STATIC_DRIFT), DISRUPTION_DRIFTED);
    assert_int_equal(disrupt_method_reason(METHOD_DRIFT), DISRUPTION_DRIFTED);
    assert_int_equal(disrupt_method_reason(METHOD_CONSOLIDATION), DISRUPTION_UNDERUTILIZED);
}
