// Emptiness. Reference lifecycle.md 4.7.
#include "disrupt/support/estate.h"

#include "base/time.h"

#define POOL(more) .name = "default", .spec = "disruption: {consolidateAfter: 0s" more "}"
#define FREE       .meta = "annotations: {karpenter.sh/disruption-cost: \"-2147483648\"}"
#define OWNED(kind)                                                                                                    \
    "ownerReferences: [{apiVersion: apps/v1, kind: " kind ", name: o, uid: u, controller: true}], "                    \
    "deletionTimestamp: \"1970-01-01T10:00:00Z\", finalizers: [a/b]"

static void only_emptiness(Estate *f) {
    f->options.methods = 1U << METHOD_EMPTINESS;
}

TEST_F(Estate, f, all_empty_nodes_go_at_once_dearest_first) {
    world_pool(f->world, POOL(", budgets: [{nodes: 100%}]"));
    estate_node(f, .name = "a", .type = "small");
    estate_node(f, .name = "b", .type = "large");
    estate_node(f, .name = "c", .type = "medium");
    world_pods(f->world, .name = "w", .requests = "cpu: 1", .node = "c");
    estate_read(f);
    only_emptiness(f);
    assert_string_equal(estate_pass(f), "emptiness b a");
    assert_true(f->pass.commands.items[0].price_per_hour > 0.49);
    assert_true(f->pass.commands.items[0].saving_per_hour == f->pass.commands.items[0].price_per_hour);
}

TEST_F(Estate, f, prices_add_up_and_an_unknown_one_counts_nothing) {
    world_pool(f->world, POOL(", budgets: [{nodes: 100%}]"));
    estate_node(f, .name = "a", .type = "small");
    estate_node(f, .name = "b", .type = "gone");
    estate_node(f, .name = "c", .type = "medium");
    estate_read(f);
    only_emptiness(f);
    assert_string_equal(estate_pass(f), "emptiness c a b");
    assert_true(f->pass.commands.items[0].price_per_hour > 0.29 && f->pass.commands.items[0].price_per_hour < 0.31);
}

TEST_F(Estate, f, as_many_as_the_budget_allows) {
    world_pool(f->world, POOL(", budgets: [{nodes: \"2\", reasons: [Empty]}]"));
    estate_node(f, .name = "a", .type = "small");
    estate_node(f, .name = "b", .type = "large");
    estate_node(f, .name = "c", .type = "medium");
    estate_read(f);
    only_emptiness(f);
    assert_string_equal(estate_pass(f), "emptiness b c");
    assert_int_equal(f->pass.eligible[METHOD_EMPTINESS], 3);
    assert_false(f->pass.consolidated);
}

TEST_F(Estate, f, a_pool_without_a_budget_is_named) {
    world_pool(f->world, POOL(", budgets: [{nodes: \"0\"}]"));
    estate_node(f, .name = "a", .type = "small");
    estate_read(f);
    assert_string_equal(estate_pass(f), "");
    assert_string_equal(estate_note(f, "default", "DisruptionBlocked"),
                        "No allowed disruptions for disruption reason Empty due to blocking budget");
}

TEST_F(Estate, f, a_node_that_is_not_ready_consumes_the_budget) {
    world_pool(f->world, POOL(", budgets: [{nodes: \"1\"}]"));
    estate_node(f, .name = "a", .type = "small");
    estate_node(f, .name = "b", .type = "small");
    estate_read(f);
    estate_object(f, "b")->conditions.count = 0;
    assert_string_equal(estate_pass(f), "");
}

TEST_F(Estate, f, not_before_the_node_is_consolidatable) {
    world_pool(f->world, POOL(""));
    estate_node(f, .name = "a", .type = "small");
    estate_read(f);
    estate_unmark(f, "a", "Consolidatable");
    assert_string_equal(estate_pass(f), "");
}

TEST_F(Estate, f, nor_while_the_condition_is_false) {
    world_pool(f->world, POOL(""));
    estate_node(f, .name = "a", .type = "small");
    estate_read(f);
    vec_last(&estate_claim(f, "a")->conditions)->status = symbol_intern(&f->facts.cluster->symbols, SLICE("False"));
    assert_string_equal(estate_pass(f), "");
    assert_int_equal(f->pass.eligible[METHOD_EMPTINESS], 0);
}

TEST_F(Estate, f, do_not_disrupt_counts_only_as_true) {
    world_pool(f->world, POOL(""));
    estate_node(f, .name = "a", .type = "small");
    estate_read(f);
    estate_annotate(f, "a", "karpenter.sh/do-not-disrupt", "true");
    assert_string_equal(estate_pass(f), "");
    estate_annotate(f, "a", "karpenter.sh/do-not-disrupt", "false");
    assert_string_equal(estate_pass(f), "emptiness a");
}

TEST_F(Estate, f, nodes_of_all_capacity_types_go_together) {
    world_pool(f->world, POOL(", budgets: [{nodes: 100%}]"));
    estate_node(f, .name = "a", .type = "small", .capacity_type = "spot");
    estate_node(f, .name = "b", .type = "small", .capacity_type = "spot");
    estate_node(f, .name = "c", .type = "small");
    estate_read(f);
    assert_string_equal(estate_pass(f), "emptiness c a b"); // on-demand is dearer
}

TEST_F(Estate, f, never_where_consolidation_is_disabled) {
    world_pool(f->world, .name = "default", .spec = "disruption: {consolidateAfter: Never}");
    estate_node(f, .name = "a", .type = "small");
    estate_read(f);
    assert_string_equal(estate_pass(f), "");
    assert_string_equal(estate_note(f, "a", "Unconsolidatable"), "NodePool \"default\" has consolidation disabled");
}

TEST_F(Estate, f, a_terminating_pod_of_a_deployment_leaves_its_node_empty) {
    world_pool(f->world, POOL(""));
    estate_node(f, .name = "a", .type = "small");
    world_pods(f->world, .name = "w", .requests = "cpu: 1", .node = "a", .meta = OWNED("ReplicaSet"));
    estate_read(f);
    only_emptiness(f);
    assert_string_equal(estate_pass(f), "emptiness a");
}

TEST_F(Estate, f, one_of_a_stateful_set_does_not) {
    world_pool(f->world, POOL(""));
    estate_node(f, .name = "a", .type = "small");
    world_pods(f->world, .name = "w", .requests = "cpu: 1", .node = "a", .meta = OWNED("StatefulSet"));
    estate_read(f);
    only_emptiness(f);
    assert_string_equal(estate_pass(f), "");
}

TEST_F(Estate, f, pods_of_daemon_sets_do_not_count) {
    world_pool(f->world, POOL(""));
    estate_node(f, .name = "a", .type = "small");
    world_pods(f->world, .name = "w", .node = "a",
               .meta = "ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: o, uid: u, controller: true}]");
    estate_read(f);
    assert_string_equal(estate_pass(f), "emptiness a");
}

TEST_F(Estate, f, a_node_that_pods_of_a_deleting_node_need_stays) {
    world_pool(f->world, POOL(", budgets: [{nodes: 100%}]"));
    estate_node(f, .name = "a", .type = "small");
    estate_node(f, .name = "b", .type = "small");
    estate_node(f, .name = "c", .type = "small");
    world_pods(f->world, .name = "w", .requests = "cpu: 1", .node = "c");
    estate_read(f);
    f->facts.nodes.items[estate_at(f, "c")].deleting = true;
    only_emptiness(f);
    assert_string_equal(estate_pass(f), "emptiness b");
}

TEST_F(Estate, f, a_node_with_room_for_a_pending_pod_stays) {
    world_pool(f->world, POOL(", budgets: [{nodes: 100%}]"));
    estate_node(f, .name = "a", .type = "small");
    world_pods(f->world, .name = "w", .requests = "cpu: 1");
    estate_read(f);
    only_emptiness(f);
    assert_string_equal(estate_pass(f), "");
}

// 2 of its 16 CPUs are in use, and another pod waits for 13: a small node in its place would not do.
TEST_F(Estate, f, nor_is_a_node_replaced_by_one_without_that_room) {
    world_pool(f->world, .name = "default", .requirements = IN(CAPACITY_TYPE, "on-demand"),
               .spec = "disruption: {consolidateAfter: 0s, budgets: [{nodes: 100%}]}");
    estate_node(f, .name = "a", .type = "huge");
    world_pods(f->world, .name = "w", .requests = "cpu: 2", .node = "a");
    world_pods(f->world, .name = "p", .requests = "cpu: 13");
    estate_read(f);
    assert_string_equal(estate_pass(f), "");
    f->options.consolidation = CONSOLIDATION_FLEET;
    assert_string_equal(estate_pass(f), "");
}

// --- pods that cost nothing to move

TEST_F(Estate, f, a_pod_that_costs_nothing_goes_where_there_is_room) {
    world_pool(f->world, POOL(", budgets: [{nodes: 100%}]"));
    estate_node(f, .name = "a", .type = "small");
    estate_node(f, .name = "b", .type = "small");
    world_pods(f->world, .name = "w", .requests = "cpu: 1", .node = "a", FREE);
    world_pods(f->world, .name = "v", .requests = "cpu: 500m", .node = "b");
    estate_read(f);
    only_emptiness(f);
    assert_string_equal(estate_pass(f), "emptiness a");
    assert_int_equal(f->pass.commands.items[0].pods, 1);
    assert_int_equal(f->pass.commands.items[0].destinations.count, 1);
}

TEST_F(Estate, f, without_room_its_node_stays) {
    world_pool(f->world, POOL(", budgets: [{nodes: 100%}]"));
    estate_node(f, .name = "a", .type = "small");
    world_pods(f->world, .name = "w", .requests = "cpu: 1", .node = "a", FREE);
    estate_read(f);
    only_emptiness(f);
    assert_string_equal(estate_pass(f), "");
}

TEST_F(Estate, f, it_does_not_go_to_a_node_that_goes_too) {
    world_pool(f->world, POOL(", budgets: [{nodes: 100%}]"));
    estate_node(f, .name = "a", .type = "small");
    estate_node(f, .name = "b", .type = "small");
    world_pods(f->world, .name = "w", .requests = "cpu: 1", .node = "a", FREE);
    estate_read(f);
    only_emptiness(f);
    assert_string_equal(estate_pass(f), "emptiness b");
}

// --- proof

TEST_F(Estate, f, what_is_still_empty_goes) {
    DisruptCommand proven;

    world_pool(f->world, POOL(", budgets: [{nodes: 100%}]"));
    estate_node(f, .name = "a", .type = "small");
    estate_node(f, .name = "b", .type = "small");
    estate_read(f);
    assert_string_equal(estate_pass(f), "emptiness a b");
    f->bits[estate_at(f, "a")] = f->bits[estate_at(f, "b")] = NODE_IN_COMMAND;
    assert_string_equal(estate_prove(f, &f->pass.commands.items[0], &proven), "");
    assert_string_equal(estate_command_text(f, &proven), "emptiness a b");
    f->bits[estate_at(f, "a")] |= NODE_NOMINATED;
    assert_string_equal(estate_prove(f, &f->pass.commands.items[0], &proven), "");
    assert_string_equal(estate_command_text(f, &proven), "emptiness b");
    f->bits[estate_at(f, "b")] |= NODE_NOMINATED;
    assert_string_equal(estate_prove(f, &f->pass.commands.items[0], NULL), "churn");
}

TEST_F(Estate, f, within_the_budget_of_then) {
    world_pool(f->world, POOL(", budgets: [{nodes: \"1\"}]"));
    estate_node(f, .name = "a", .type = "large");
    estate_node(f, .name = "b", .type = "small");
    estate_read(f);
    assert_string_equal(estate_pass(f), "emptiness a");
    estate_object(f, "b")->conditions.count = 0;
    assert_string_equal(estate_prove(f, &f->pass.commands.items[0], NULL), "budget");
}
