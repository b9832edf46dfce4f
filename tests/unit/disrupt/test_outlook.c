// What is expected of the nodes that stay: the order in which they would go, and which of them would be gone already.
// Reference changes.md 4.2; docs/design/disrupt-fleet.md.
#include "disrupt/support/estate.h"

static const Mono now = {1000 * NS_PER_MIN};

#define NEVER_CHEAPER IN(CAPACITY_TYPE, "on-demand")
#define BUDGET(nodes) "disruption: {consolidateAfter: 0s, budgets: [{nodes: '" nodes "'}]}"
#define OF(KIND, name)                                                                                                 \
    "ownerReferences: [{apiVersion: apps/v1, kind: " KIND ", name: " name ", uid: " name ", controller: true}]"

static void add_pods(Estate *f, const char *node, const char *requests, int count, const char *meta) {
    world_pods(f->world, .name = node, .requests = requests, .node = node, .count = count, .meta = meta);
}

static void add_stuck_pods(Estate *f, const char *node, int count, const char *meta) {
    world_pods(f->world, .name = node, .requests = "cpu: 100m", .node = node, .count = count, .meta = meta,
               .spec = SELECT("rack: r"));
}

// Places of nodes, "a=1 c=2", and planned ones with a "!".
static const char *outlooks(Estate *f) {
    const char *text = "";

    for (vec_each(const DisruptOutlook, outlook, &f->pass.outlooks)) {
        Slice name = symbol_text(&f->facts.cluster->symbols, f->facts.nodes.items[outlook->node].name);

        text = estate_text(f, "%s%s%.*s=%u%s", text, *text ? " " : "", SLICE_ARG(name), outlook->place,
                           outlook->is_planned ? "!" : "");
    }
    return text;
}

// Nodes whose pods fit nowhere else: at $0.10 for one pod, $0.40 for one, $0.20 for one, $0.40 for seven.
static void add_four(Estate *f, const char *spec) {
    world_pool(f->world, .name = "default", .requirements = NEVER_CHEAPER, .spec = spec);
    estate_node(f, .name = "a", .type = "small");
    estate_node(f, .name = "b", .type = "large");
    estate_node(f, .name = "c", .type = "medium");
    estate_node(f, .name = "d", .type = "large");
    add_stuck_pods(f, "a", 1, OF("ReplicaSet", "a"));
    add_stuck_pods(f, "b", 1, OF("ReplicaSet", "b"));
    add_stuck_pods(f, "c", 1, OF("ReplicaSet", "c"));
    add_stuck_pods(f, "d", 7, OF("ReplicaSet", "d"));
}

static const char *order(Estate *f) {
    f->options.methods = 1U << METHOD_CONSOLIDATION;
    f->options.consolidation = CONSOLIDATION_FLEET;
    f->options.now = now;
    f->options.ranks = true;
    assert_string_equal(estate_pass(f), "");
    assert_true(f->pass.has_outlooks);
    return outlooks(f);
}

TEST_F(Estate, f, those_that_save_most_for_their_disruption_go_first) {
    add_four(f, BUDGET("100%"));
    estate_read(f);
    assert_string_equal(order(f), "a=3 b=1 c=2 d=3");
}

TEST_F(Estate, f, drifted_ones_come_before_them) {
    add_four(f, BUDGET("100%"));
    estate_read(f);
    estate_mark(f, "d", "Drifted", 1);
    assert_string_equal(order(f), "a=4 b=2 c=3 d=1");
}

TEST_F(Estate, f, no_more_have_a_place_than_budgets_allow) {
    add_four(f, BUDGET("2"));
    estate_read(f);
    assert_string_equal(order(f), "b=1 c=2");
}

TEST_F(Estate, f, budgets_of_zero_leave_none) {
    add_four(f, BUDGET("0"));
    estate_read(f);
    assert_string_equal(order(f), "");
}

TEST_F(Estate, f, a_node_that_may_not_be_disrupted_has_none) {
    add_four(f, BUDGET("100%"));
    estate_read(f);
    estate_annotate(f, "b", "karpenter.sh/do-not-disrupt", "true");
    assert_string_equal(order(f), "a=2 c=1 d=2");
}

TEST_F(Estate, f, a_node_that_scale_in_cannot_empty_has_none) {
    add_four(f, BUDGET("100%"));
    world_pods(f->world, .name = "db", .requests = "cpu: 100m", .node = "b", .meta = OF("StatefulSet", "db"));
    world_pods(f->world, .name = "bare", .requests = "cpu: 100m", .node = "c");
    world_pods(f->world, .name = "agent", .requests = "cpu: 100m", .node = "d", .meta = OF("DaemonSet", "agent"));
    estate_read(f);
    assert_string_equal(order(f), "a=1 d=1");
}

TEST_F(Estate, f, without_consolidation_only_drifted_ones_have_one) {
    add_four(f, "disruption: {consolidateAfter: Never, budgets: [{nodes: '100%'}]}");
    estate_read(f);
    estate_mark(f, "c", "Drifted", 1);
    assert_string_equal(order(f), "c=1");
}

TEST_F(Estate, f, nobody_asks_for_the_order_without_the_gate) {
    add_four(f, BUDGET("100%"));
    estate_read(f);
    order(f);
    f->options.ranks = false;
    estate_pass(f);
    assert_string_equal(outlooks(f), "");
}

// --- the plan

// Two nodes whose pods fit onto the third one, those of both together, too.
static void add_three(Estate *f, const char *of_c) {
    world_pool(f->world, .name = "default", .requirements = NEVER_CHEAPER, .spec = BUDGET("100%"));
    estate_node(f, .name = "a", .type = "small");
    estate_node(f, .name = "b", .type = "small");
    estate_node(f, .name = "c", .type = "large");
    add_pods(f, "a", "cpu: 300m", 4, OF("ReplicaSet", "a"));
    add_pods(f, "b", "cpu: 300m", 4, OF("ReplicaSet", "b"));
    add_pods(f, "c", of_c, 1, OF("ReplicaSet", "c"));
    estate_read(f);
}

// The pool asked for so much 22 minutes ago, and for what there is since then.
static const char *after_a_peak(Estate *f, int64_t milli_cpu, int64_t present_milli_cpu) {
    DemandHistory history = {0};
    PoolAmountVec demand = {0};
    Mono then = {now.ns - 22 * NS_PER_MIN};

    vec_push(&f->arena, &demand, (PoolAmount){.pool = estate_pool(f, "default")->meta.name});
    resources_set(&f->arena, &demand.items[0].amount, NAME_CPU, milli_cpu);
    demand_note(&history, then, &demand);
    resources_set(&f->arena, &demand.items[0].amount, NAME_CPU, present_milli_cpu);
    demand_note(&history, now, &demand);
    f->options.demand = &history;
    order(f);
    f->options.demand = NULL;
    demand_free(&history);
    return outlooks(f);
}

TEST_F(Estate, f, nodes_whose_room_may_be_needed_again_are_planned_to_go_and_go_first) {
    add_three(f, "cpu: 4500m");
    assert_string_equal(after_a_peak(f, 9500, 6900), "a=1! b=1! c=2");
    assert_true(f->pass.has_plan);
}

// Each of the two could go to the other one.
TEST_F(Estate, f, only_those_are_planned_that_can_be_gone_together) {
    add_three(f, "cpu: 6");
    assert_string_equal(after_a_peak(f, 10500, 8400), "a=1! b=3 c=2");
}

TEST_F(Estate, f, a_search_that_was_not_made_has_no_plan) {
    add_four(f, BUDGET("0"));
    estate_read(f);
    order(f);
    assert_false(f->pass.has_plan);
    f->options.methods = 1U << METHOD_EMPTINESS;
    estate_pass(f);
    assert_false(f->pass.has_outlooks);
}
