// Drifted nodes are replaced. Reference lifecycle.md 4.8.
#include "disrupt/support/estate.h"

#include "base/time.h"

#define POOL                                                                                                           \
    .name = "default", .requirements = IN(CAPACITY_TYPE, "on-demand"), .spec = "disruption: {consolidateAfter: Never}"

TEST_F(Estate, f, a_drifted_node_is_replaced_even_when_consolidation_is_off) {
    world_pool(f->world, POOL);
    estate_node(f, .name = "a", .type = "small");
    world_pods(f->world, .name = "w", .requests = "cpu: 1", .node = "a");
    estate_read(f);
    assert_string_equal(estate_pass(f), "");
    estate_mark(f, "a", "Drifted", 5);
    assert_string_equal(estate_pass(f), "drift a => small on-demand");
    assert_int_equal(f->pass.commands.items[0].pods, 1);
    assert_int_equal(f->pass.eligible[METHOD_DRIFT], 1);
}

TEST_F(Estate, f, the_one_that_has_been_drifted_for_longest_goes_first_and_alone) {
    world_pool(f->world, POOL);
    estate_node(f, .name = "a", .type = "small");
    estate_node(f, .name = "b", .type = "small");
    world_pods(f->world, .name = "w", .requests = "cpu: 1500m", .node = "a");
    world_pods(f->world, .name = "v", .requests = "cpu: 1500m", .node = "b");
    estate_read(f);
    estate_mark(f, "a", "Drifted", 9);
    estate_mark(f, "b", "Drifted", 5);
    assert_string_equal(estate_pass(f), "drift b => small on-demand");
}

TEST_F(Estate, f, nodes_without_pods_go_before_that) {
    world_pool(f->world, POOL);
    estate_node(f, .name = "a", .type = "small");
    estate_node(f, .name = "b", .type = "small");
    world_pods(f->world, .name = "w", .requests = "cpu: 1500m", .node = "a");
    estate_read(f);
    estate_mark(f, "a", "Drifted", 5);
    estate_mark(f, "b", "Drifted", 9);
    assert_string_equal(estate_pass(f), "drift b");
}

TEST_F(Estate, f, when_the_first_cannot_go_the_next_does) {
    world_pool(f->world, POOL, .types = "small");
    estate_node(f, .name = "a", .type = "large");
    estate_node(f, .name = "b", .type = "small");
    world_pods(f->world, .name = "w", .requests = "cpu: 7", .node = "a");
    world_pods(f->world, .name = "v", .requests = "cpu: 1500m", .node = "b");
    estate_read(f);
    estate_mark(f, "a", "Drifted", 5);
    estate_mark(f, "b", "Drifted", 9);
    assert_string_equal(estate_pass(f), "drift b => small on-demand");
    assert_true(strncmp(estate_note(f, "a", "DisruptionBlocked"), "Not all pods would schedule, default/w => ", 42) ==
                0);
}

TEST_F(Estate, f, one_node_may_need_several) {
    world_pool(f->world, POOL, .types = "small");
    estate_node(f, .name = "a", .type = "large");
    world_pods(f->world, .name = "w", .count = 3, .requests = "cpu: 1500m", .node = "a");
    estate_read(f);
    estate_mark(f, "a", "Drifted", 5);
    assert_string_equal(estate_pass(f), "drift a => small on-demand => small on-demand => small on-demand");
}

TEST_F(Estate, f, a_pool_without_a_budget_is_passed_over) {
    world_pool(f->world, .name = "default", .spec = "disruption: {budgets: [{nodes: \"0\", reasons: [Drifted]}]}");
    world_pool(f->world, .name = "other");
    estate_node(f, .name = "a", .type = "small");
    estate_node(f, .name = "b", .type = "small", .pool = "other");
    estate_read(f);
    f->options.methods = 1U << METHOD_DRIFT;
    estate_mark(f, "a", "Drifted", 5);
    estate_mark(f, "b", "Drifted", 9);
    assert_string_equal(estate_pass(f), "drift b");
    assert_string_equal(estate_note(f, "default", "DisruptionBlocked"),
                        "No allowed disruptions for disruption reason Drifted due to blocking budget");
}

TEST_F(Estate, f, a_pod_that_blocks_is_left_to_the_termination_grace_period) {
    world_pool(f->world, POOL);
    estate_node(f, .name = "a", .type = "small", .claim_spec = "terminationGracePeriod: 1h");
    estate_node(f, .name = "b", .type = "small");
    world_pods(f->world, .name = "w", .requests = "cpu: 1", .node = "a",
               .meta = "annotations: {karpenter.sh/do-not-disrupt: \"true\"}");
    world_pods(f->world, .name = "v", .requests = "cpu: 1", .node = "b",
               .meta = "annotations: {karpenter.sh/do-not-disrupt: \"true\"}");
    estate_read(f);
    estate_mark(f, "a", "Drifted", 9);
    estate_mark(f, "b", "Drifted", 5);
    assert_string_equal(estate_pass(f), "drift a"); // without capacity for a pod that must not be moved
    assert_string_equal(estate_note(f, "b", "DisruptionBlocked"),
                        "Pod has \"karpenter.sh/do-not-disrupt\" annotation (Pod=default/v)");
}

TEST_F(Estate, f, its_proof_needs_the_same_nodes_again) {
    DisruptCommand proven;

    world_pool(f->world, POOL);
    estate_node(f, .name = "a", .type = "small");
    world_pods(f->world, .name = "w", .requests = "cpu: 1", .node = "a");
    estate_read(f);
    estate_mark(f, "a", "Drifted", 5);
    (void)estate_pass(f);
    assert_string_equal(estate_prove(f, &f->pass.commands.items[0], &proven), "");
    assert_string_equal(estate_command_text(f, &proven), "drift a => small on-demand");
    estate_unmark(f, "a", "Drifted");
    assert_string_equal(estate_prove(f, &f->pass.commands.items[0], NULL), "churn");
}
