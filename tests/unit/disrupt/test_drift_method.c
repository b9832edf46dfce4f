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

TEST_F(Estate, f, one_whose_pods_fit_elsewhere_goes_without_a_replacement) {
    world_pool(f->world, POOL);
    estate_node(f, .name = "a", .type = "small");
    estate_node(f, .name = "b", .type = "medium");
    world_pods(f->world, .name = "w", .requests = "cpu: 1", .node = "a");
    world_pods(f->world, .name = "v", .requests = "cpu: 1", .node = "b");
    estate_read(f);
    estate_mark(f, "a", "Drifted", 5);
    assert_string_equal(estate_pass(f), "drift a");
}

// `do_not_disrupt` of the Node may be NULL.
static const char *drifted_with(Estate *f, const char *do_not_disrupt, const char *status) {
    world_pool(f->world, POOL);
    estate_node(f, .name = "a", .type = "small");
    world_pods(f->world, .name = "w", .requests = "cpu: 1", .node = "a");
    estate_read(f);
    if (do_not_disrupt)
        estate_annotate(f, "a", "karpenter.sh/do-not-disrupt", do_not_disrupt);
    estate_mark(f, "a", "Drifted", 5);
    vec_last(&estate_claim(f, "a")->conditions)->status = symbol_intern(&f->facts.cluster->symbols, slice_of(status));
    return estate_pass(f);
}

TEST_F(Estate, f, one_whose_condition_is_false_stays) {
    assert_string_equal(drifted_with(f, NULL, "False"), "");
    assert_int_equal(f->pass.eligible[METHOD_DRIFT], 0);
}

TEST_F(Estate, f, so_does_one_that_must_not_be_disrupted) {
    assert_string_equal(drifted_with(f, "true", "True"), "");
    assert_int_equal(f->pass.eligible[METHOD_DRIFT], 0);
}

TEST_F(Estate, f, false_forbids_nothing) {
    assert_string_equal(drifted_with(f, "false", "True"), "drift a => small on-demand");
}

TEST_F(Estate, f, an_empty_one_goes_as_drifted_where_emptiness_may_not_take_it) {
    world_pool(f->world, .name = "default",
               .spec = "disruption: {consolidateAfter: 0s, budgets: [{nodes: \"0\", reasons: [Empty]}]}");
    estate_node(f, .name = "a", .type = "small");
    estate_read(f);
    estate_mark(f, "a", "Drifted", 5);
    assert_string_equal(estate_pass(f), "drift a");
    f->options.methods &= ~(1U << METHOD_EMPTINESS);
    assert_string_equal(estate_pass(f), "drift a");
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
    assert_true(f->pass.commands.items[0].saving_per_hour < -0.29); // its own price is not known
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

// Pods that may not be moved get no new capacity beforehand: their node drains until its period is over.
static const char *drifted_with_period(Estate *f, const char *pod_meta) {
    world_pool(f->world, POOL);
    estate_node(f, .name = "a", .type = "small", .claim_spec = "terminationGracePeriod: 1h");
    world_pods(f->world, .name = "w", .labels = "app: w", .requests = "cpu: 1", .node = "a", .meta = pod_meta,
               .status = "startTime: \"1970-01-01T09:59:00Z\""); // a minute ago
    estate_read(f);
    estate_mark(f, "a", "Drifted", 9);
    return estate_pass(f);
}

TEST_F(Estate, f, a_budget_that_blocks_for_ever_gets_no_new_capacity_either) {
    world_object(f->world, "apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b, namespace: default}, "
                           "spec: {maxUnavailable: 0, selector: {matchLabels: {app: w}}}, "
                           "status: {disruptionsAllowed: 0}");
    assert_string_equal(drifted_with_period(f, NULL), "drift a");
}

static const char *drifted_for(Estate *f, const char *first, const char *second) {
    world_pool(f->world, POOL);
    estate_node(f, .name = "a", .type = "small");
    world_pods(f->world, .name = "w", .requests = "cpu: 500m", .node = "a", .meta = first,
               .status = "startTime: \"1970-01-01T09:59:00Z\"");
    world_pods(f->world, .name = "v", .requests = "cpu: 1", .node = "a", .meta = second,
               .status = "startTime: \"1970-01-01T09:59:00Z\"");
    estate_read(f);
    estate_mark(f, "a", "Drifted", 9);
    return estate_pass(f);
}

#define FOR(duration) "annotations: {karpenter.sh/do-not-disrupt: \"" duration "\"}"

TEST_F(Estate, f, a_pod_holds_its_node_for_as_long_as_it_says) {
    assert_string_equal(drifted_for(f, FOR("2m"), NULL), "");
    f->facts.wall_ns += NS_PER_MIN + NS_PER_S;
    assert_string_equal(estate_pass(f), "drift a => small on-demand");
}

TEST_F(Estate, f, the_longest_of_several_durations_holds_it) {
    assert_string_equal(drifted_for(f, FOR("1m"), FOR("3m")), "");
    f->facts.wall_ns += NS_PER_MIN;
    assert_string_equal(estate_pass(f), "");
    f->facts.wall_ns += NS_PER_MIN + NS_PER_S;
    assert_string_equal(estate_pass(f), "drift a => small on-demand");
}

TEST_F(Estate, f, a_duration_that_cannot_be_read_holds_nothing) {
    assert_string_equal(drifted_for(f, FOR("soon"), NULL), "drift a => small on-demand");
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
