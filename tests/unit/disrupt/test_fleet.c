// Consolidation of the whole fleet: what goes, what comes, and why a node stays.
#include "disrupt/support/estate.h"
#include "model/payback.h"

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
    world_pods(f->world, .name = "n1", .requests = "cpu: 600m", .node = "b");
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

// --- room on nodes that stay

// A node of the cheapest type, filled by its pods, and room for them on another one.
static void add_full_node_beside_room(Estate *f) {
    estate_node(f, .name = "a", .type = "small");
    world_pods(f->world, .name = "w", .requests = "cpu: 1900m", .node = "a");
}

TEST_F(Estate, f, a_full_node_goes_where_a_node_that_its_pod_keeps_has_room) {
    world_pool(f->world, ON_DEMAND, DISRUPTION("100%"));
    add_full_node_beside_room(f);
    estate_node(f, .name = "b", .type = "medium");
    world_pods(f->world, .name = "v", .requests = "cpu: 1", .node = "b",
               .meta = "annotations: {karpenter.sh/do-not-disrupt: 'true'}");
    estate_read(f);
    assert_string_equal(consolidate(f), "consolidation a");
}

TEST_F(Estate, f, a_full_node_goes_where_a_node_of_a_pool_that_only_loses_empty_ones_has_room) {
    world_pool(f->world, ON_DEMAND, DISRUPTION("100%"));
    world_pool(f->world, .name = "kept", .requirements = IN(CAPACITY_TYPE, "on-demand"),
               .spec = "disruption: {consolidationPolicy: WhenEmpty, consolidateAfter: 0s}");
    add_full_node_beside_room(f);
    estate_node(f, .name = "b", .type = "medium", .pool = "kept");
    world_pods(f->world, .name = "v", .requests = "cpu: 1", .node = "b");
    estate_read(f);
    assert_string_equal(consolidate(f), "consolidation a");
}

// --- what is worth it

static void annotate(Estate *f, Symbol key, const char *value) {
    labels_set(&f->arena, &estate_pool(f, "default")->meta.annotations, key,
               symbol_intern(&f->facts.cluster->symbols, slice_of(value)));
}

static void add_huge_node_for_a_medium_pod(Estate *f) {
    world_pool(f->world, ON_DEMAND, DISRUPTION("100%"));
    estate_node(f, .name = "a", .type = "huge");
    world_pods(f->world, .name = "w", .requests = "cpu: 3", .node = "a");
    estate_read(f);
}

TEST_F(Estate, f, a_move_saves_as_much_as_its_pool_wants) {
    double price, saving;

    add_huge_node_for_a_medium_pod(f);
    assert_string_equal(consolidate(f), "consolidation a => medium on-demand");
    price = f->pass.commands.items[0].price_per_hour;
    saving = f->pass.commands.items[0].saving_per_hour;
    annotate(f, NAME_MIN_SAVING, arena_text(&f->arena, arena_printf(&f->arena, "%.4f", saving + 0.001)));
    assert_string_equal(consolidate(f), "");
    annotate(f, NAME_MIN_SAVING, arena_text(&f->arena, arena_printf(&f->arena, "%.4f", saving - 0.001)));
    assert_string_equal(consolidate(f), "consolidation a => medium on-demand");
    annotate(f, NAME_MIN_SAVING, arena_text(&f->arena, arena_printf(&f->arena, "%.0f%%", 100 * saving / price + 2)));
    assert_string_equal(consolidate(f), "");
    annotate(f, NAME_MIN_SAVING, arena_text(&f->arena, arena_printf(&f->arena, "%.0f%%", 100 * saving / price - 2)));
    assert_string_equal(consolidate(f), "consolidation a => medium on-demand");
}

TEST_F(Estate, f, it_saves_what_it_costs_within_the_payback) {
    world_pool(f->world, ON_DEMAND, DISRUPTION("100%"));
    estate_node(f, .name = "a", .type = "small");
    world_node(f->world, .name = "n1");
    world_pods(f->world, .name = "w", .count = 8, .requests = "cpu: 100m", .node = "a");
    estate_read(f);
    annotate(f, NAME_PAYBACK, "1m");
    assert_string_equal(consolidate(f), "");
    annotate(f, NAME_PAYBACK, "100h");
    assert_string_equal(consolidate(f), "consolidation a");
}

TEST_F(Estate, f, a_replacement_stays_until_it_has_paid_back) {
    add_huge_node_for_a_medium_pod(f);
    assert_string_equal(consolidate(f), "consolidation a => medium on-demand");
    assert_true(f->pass.commands.items[0].paid_back_ns > ESTATE_NOW_NS);
    assert_true(f->pass.commands.items[0].paid_back_ns < ESTATE_NOW_NS + PAYBACK_DEFAULT_NS);
    labels_set(&f->arena, &estate_claim(f, "a")->meta.annotations, NAME_PAID_BACK_AT,
               symbol_intern(&f->facts.cluster->symbols, SLICE("1970-01-01T10:00:01Z")));
    assert_string_equal(consolidate(f), "");
    assert_string_equal(estate_note(f, "a", "Unconsolidatable"),
                        "It was launched to save money, which has not paid back yet");
    f->facts.wall_ns += NS_PER_S;
    assert_string_equal(consolidate(f), "consolidation a => medium on-demand");
}

TEST_F(Estate, f, pods_that_were_moved_cost_four_times_until_that_has_paid_back) {
    int64_t pays_ns;

    add_huge_node_for_a_medium_pod(f);
    assert_string_equal(consolidate(f), "consolidation a => medium on-demand");
    pays_ns = f->pass.commands.items[0].paid_back_ns - ESTATE_NOW_NS;
    f->bits[estate_at(f, "a")] = NODE_SETTLING;
    assert_string_equal(consolidate(f), "consolidation a => medium on-demand");
    assert_true(f->pass.commands.items[0].paid_back_ns - ESTATE_NOW_NS > 2 * pays_ns);
}
