// Several nodes into one, in Karpenter's manner. Reference lifecycle.md 4.12.
#include "disrupt/support/estate.h"

#define DISRUPTION(policy, nodes)                                                                                      \
    "disruption: {consolidateAfter: 0s, consolidationPolicy: " policy ", budgets: [{nodes: " nodes "}]}"
#define UNDERUTILIZED DISRUPTION("WhenEmptyOrUnderutilized", "100%")

static const char *consolidate(Estate *f) {
    f->options.methods = 1U << METHOD_CONSOLIDATION;
    f->options.spot_to_spot = true;
    return estate_pass(f);
}

// Nodes "a", "b" and "c" with a pod each.
static void three_nodes(Estate *f, const char *of_a, const char *of_others) {
    world_pool(f->world, .name = "default", .spec = UNDERUTILIZED,
               .requirements = estate_text(f, IN(CAPACITY_TYPE, "%s, %s"), of_a, of_others));
    for (const char *at = "abc"; *at; at++) {
        const char *name = estate_text(f, "%c", *at);

        estate_node(f, .name = name, .type = "huge", .capacity_type = *at == 'a' ? of_a : of_others);
        world_pods(f->world, .name = name, .requests = "cpu: 1", .node = name);
    }
    estate_read(f);
}

TEST_F(Estate, f, three_nodes_become_one) {
    three_nodes(f, "on-demand", "on-demand");
    assert_string_equal(consolidate(f), "consolidation a b c => medium on-demand");
}

TEST_F(Estate, f, so_do_three_spot_nodes) {
    three_nodes(f, "spot", "spot");
    assert_string_equal(consolidate(f), "consolidation a b c => medium spot");
}

TEST_F(Estate, f, and_nodes_of_both) {
    three_nodes(f, "spot", "on-demand");
    assert_string_equal(consolidate(f), "consolidation b c a => medium spot");
}

// --- nodes of the cheapest type

// "a" has one pod and "b" two.
static void two_cheap_nodes(Estate *f, const char *capacity_type) {
    world_pool(f->world, .name = "default", .spec = UNDERUTILIZED,
               .requirements = estate_text(f, IN(CAPACITY_TYPE, "%s"), capacity_type));
    estate_node(f, .name = "a", .type = "small", .capacity_type = capacity_type);
    estate_node(f, .name = "b", .type = "small", .capacity_type = capacity_type);
    world_pods(f->world, .name = "v", .requests = "cpu: 500m", .node = "a");
    world_pods(f->world, .name = "w", .count = 2, .requests = "cpu: 500m", .node = "b");
    estate_read(f);
}

TEST_F(Estate, f, of_two_nodes_of_the_cheapest_type_one_goes) {
    two_cheap_nodes(f, "on-demand");
    assert_string_equal(consolidate(f), "consolidation a");
}

TEST_F(Estate, f, of_two_such_spot_nodes_too) {
    two_cheap_nodes(f, "spot");
    assert_string_equal(consolidate(f), "consolidation a");
}

// Two types hold the pods of "a" and "b" together. One of them is theirs, which is no replacement, and the other alone
// is fewer than the pool wants.
TEST_F(Estate, f, where_too_few_types_are_left_for_min_values_one_goes) {
    static const struct {
        const char *name;
        int pods;
    } nodes[] = {{"a", 1}, {"b", 1}, {"c", 2}};

    world_type(f->world, .name = "current", .capacity = "cpu: 4, memory: 8Gi, pods: 10", .price = 0.5);
    world_type(f->world, .name = "other", .capacity = "cpu: 4, memory: 8Gi, pods: 10", .price = 0.4);
    world_pool(f->world, .name = "default", .spec = UNDERUTILIZED,
               .requirements =
                   IN(CAPACITY_TYPE, "on-demand") ", {key: " INSTANCE_TYPE ", operator: Exists, minValues: 2}");
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        estate_node(f, .name = nodes[i].name, .type = "current");
        world_pods(f->world, .name = nodes[i].name, .count = nodes[i].pods, .requests = "cpu: 2",
                   .node = nodes[i].name);
    }
    estate_read(f);
    assert_string_equal(consolidate(f), "consolidation a");
}

// --- policy Balanced

TEST_F(Estate, f, several_nodes_with_little_on_them_go_together) {
    world_pool(f->world, .name = "default", .requirements = IN(CAPACITY_TYPE, "on-demand"),
               .spec = DISRUPTION("Balanced", "100%"));
    for (const char *at = "abcd"; *at; at++) {
        const char *name = estate_text(f, "%c", *at);

        estate_node(f, .name = name, .type = "medium");
        world_pods(f->world, .name = name, .requests = "cpu: 200m", .node = name);
    }
    estate_read(f);
    assert_string_equal(consolidate(f), "consolidation a b c d => small on-demand");
    assert_string_not_equal(estate_note(f, "default", "ConsolidationApproved"), "");
}

// "dear" saves 0.4 / 2, "cheap" 0.1 / 7, and one node may go.
TEST_F(Estate, f, the_node_with_the_best_ratio_goes_before_the_worst) {
    world_pool(f->world, .name = "default", .requirements = IN(CAPACITY_TYPE, "on-demand"),
               .spec = DISRUPTION("Balanced", "\"1\""));
    world_node(f->world, .name = "foreign");
    estate_node(f, .name = "cheap", .type = "small");
    estate_node(f, .name = "dear", .type = "large");
    world_pods(f->world, .name = "v", .count = 6, .requests = "cpu: 100m", .node = "cheap");
    world_pods(f->world, .name = "w", .requests = "cpu: 100m", .node = "dear");
    estate_read(f);
    assert_string_equal(consolidate(f), "consolidation dear");
}

// --- a look that is over before it began

TEST_F(Estate, f, nothing_is_found_once_it_is_cancelled) {
    atomic_bool cancelled = true;

    three_nodes(f, "on-demand", "on-demand");
    f->options.search.cancelled = &cancelled;
    assert_string_equal(consolidate(f), "");
    assert_false(f->pass.consolidated);
}
