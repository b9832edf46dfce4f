// Karpenter's own consolidation: several nodes, then single ones. Reference lifecycle.md 4.10 to 4.13.
#include "disrupt/support/estate.h"

#include "base/time.h"

#include <math.h>

#define DISRUPTION .spec = "disruption: {consolidateAfter: 0s, budgets: [{nodes: 100%}]}"
#define ON_DEMAND  .name = "default", .requirements = IN(CAPACITY_TYPE, "on-demand"), DISRUPTION
#define ANY        .name = "default", DISRUPTION

static const char *consolidate(Estate *f) {
    f->options.methods = 1U << METHOD_CONSOLIDATION;
    return estate_pass(f);
}

static const PlannedClaim *replacement(Estate *f) {
    assert_int_equal(f->pass.commands.count, 1);
    assert_int_equal(f->pass.commands.items[0].replacements.count, 1);
    return &f->pass.commands.items[0].replacements.items[0];
}

// The names of the replacement's types.
static const char *types(Estate *f) {
    const char *text = "";

    for (vec_each(const InstanceType *, type, &replacement(f)->types))
        text = arena_printf(&f->arena, "%s%s%.*s", text, *text ? " " : "",
                            SLICE_ARG(symbol_text(&f->facts.cluster->symbols, (*type)->name)))
                   .ptr;
    return text;
}

static const char *required(Estate *f, Symbol key) {
    const Requirement *requirement = requirements_get(&replacement(f)->requirements, key);

    return arena_text(&f->arena, requirement_print(&f->arena, &f->facts.cluster->symbols, requirement));
}

// --- one node

TEST_F(Estate, f, a_node_whose_pods_fit_elsewhere_is_deleted) {
    world_pool(f->world, ON_DEMAND);
    estate_node(f, .name = "a", .type = "small");
    estate_node(f, .name = "b", .type = "medium");
    world_pods(f->world, .name = "w", .requests = "cpu: 1", .node = "a");
    world_pods(f->world, .name = "v", .requests = "cpu: 2500m", .node = "b");
    estate_read(f);
    assert_string_equal(consolidate(f), "consolidation a");
    assert_true(f->pass.commands.items[0].saving_per_hour > 0.09);
    assert_false(f->pass.consolidated);
}

TEST_F(Estate, f, one_that_is_too_large_is_replaced) {
    world_pool(f->world, ON_DEMAND);
    estate_node(f, .name = "a", .type = "huge");
    world_pods(f->world, .name = "w", .requests = "cpu: 3", .node = "a");
    estate_read(f);
    assert_string_equal(consolidate(f), "consolidation a => medium on-demand");
    assert_string_equal(types(f), "medium large"); // what is strictly cheaper
    assert_string_equal(required(f, NAME_INSTANCE_TYPE), "node.kubernetes.io/instance-type In [large medium]");
    assert_true(f->pass.commands.items[0].price_per_hour > 0.79);
    assert_true(f->pass.commands.items[0].saving_per_hour > 0.59 && f->pass.commands.items[0].saving_per_hour < 0.61);
}

TEST_F(Estate, f, one_of_the_right_size_stays) {
    world_pool(f->world, ON_DEMAND);
    estate_node(f, .name = "a", .type = "medium");
    world_pods(f->world, .name = "w", .requests = "cpu: 3", .node = "a");
    estate_read(f);
    assert_string_equal(consolidate(f), "");
    assert_string_equal(estate_note(f, "a", "Unconsolidatable"), "Can't replace with a cheaper node");
    assert_true(f->pass.consolidated);
}

TEST_F(Estate, f, an_on_demand_node_becomes_spot_and_only_that) {
    world_pool(f->world, ANY);
    estate_node(f, .name = "a", .type = "medium");
    world_pods(f->world, .name = "w", .requests = "cpu: 3", .node = "a");
    estate_read(f);
    assert_string_equal(consolidate(f), "consolidation a => medium spot");
    assert_string_equal(required(f, NAME_CAPACITY_TYPE), "karpenter.sh/capacity-type In [spot]");
}

TEST_F(Estate, f, two_replacements_are_too_many) {
    world_pool(f->world, ON_DEMAND, .types = "small");
    estate_node(f, .name = "a", .type = "huge");
    world_pods(f->world, .name = "w", .count = 2, .requests = "cpu: 1500m", .node = "a");
    estate_read(f);
    assert_string_equal(consolidate(f), "");
    // A type that the provider has no more has no price.
    assert_string_equal(estate_note(f, "a", "Unconsolidatable"), "Instance Type \"huge\" not found");
}

TEST_F(Estate, f, two_replacements_are_too_many_whatever_they_cost) {
    world_pool(f->world, ON_DEMAND);
    estate_node(f, .name = "a", .type = "huge");
    world_pods(f->world, .name = "w", .count = 2, .requests = "cpu: 1500m", .labels = "app: w", .node = "a",
               .spec = AFFINITY(APART(PODS(HOST, "app: w", ""))));
    estate_read(f);
    assert_string_equal(consolidate(f), "");
    assert_string_equal(estate_note(f, "a", "Unconsolidatable"), "Can't remove without creating 2 candidates");
}

TEST_F(Estate, f, pods_that_fit_nowhere_keep_their_node) {
    world_pool(f->world, ON_DEMAND);
    estate_node(f, .name = "a", .type = "huge");
    world_pods(f->world, .name = "w", .requests = "cpu: 1", .node = "a", .spec = SELECT("rack: r1"));
    estate_read(f);
    assert_string_equal(consolidate(f), "");
    assert_true(strncmp(estate_note(f, "a", "Unconsolidatable"), "Not all pods would schedule, default/w", 38) == 0);
}

TEST_F(Estate, f, min_values_hold_without_the_types_that_have_on_demand_alone) {
    world_pool(f->world, .name = "default",
               .requirements =
                   IN(CAPACITY_TYPE, "spot, on-demand") ", {key: " INSTANCE_TYPE ", operator: Exists, minValues: 2}",
               .spec = "disruption: {consolidateAfter: 0s, budgets: [{nodes: 100%}]}");
    estate_node(f, .name = "a", .type = "huge");
    world_pods(f->world, .name = "w", .requests = "cpu: 3", .node = "a");
    estate_read(f);
    assert_string_equal(consolidate(f), "consolidation a => medium spot");
    for (vec_each(InstanceType, type, f->facts.pools.items[0].types)) {
        bool is_medium = slice_eq_text(symbol_text(&f->facts.cluster->symbols, type->name), "medium");

        for (vec_each(Offering, offering, &type->offerings)) // spot is left of medium alone
            offering->available &= is_medium || offering->capacity_type != NAME_SPOT;
    }
    assert_string_equal(consolidate(f), "");
}

TEST_F(Estate, f, min_values_keep_a_node_whose_replacement_had_too_few_types) {
    world_pool(f->world, .name = "default",
               .requirements =
                   IN(CAPACITY_TYPE, "on-demand") ", {key: " INSTANCE_TYPE ", operator: Exists, minValues: 3}",
               DISRUPTION);
    estate_node(f, .name = "a", .type = "huge");
    world_pods(f->world, .name = "w", .requests = "cpu: 3", .node = "a");
    estate_read(f);
    assert_string_equal(consolidate(f), "");
    assert_string_equal(estate_note(f, "a", "Unconsolidatable"),
                        "Filtering by price: minValues requirement is not met for label(s) "
                        "(label(s)=[node.kubernetes.io/instance-type])");
}

TEST_F(Estate, f, the_dearest_zone_counts) {
    world_type(f->world, .name = "old", .capacity = "cpu: 8, memory: 16Gi, pods: 10", .price = 0.4);
    world_type(f->world, .name = "new", .capacity = "cpu: 8, memory: 16Gi, pods: 10", .price = 0.3);
    world_offering(f->world, .type = "new", .zone = "d", .price = 0.5); // could be launched there
    world_pool(f->world, ON_DEMAND);
    estate_node(f, .name = "a", .type = "old");
    world_pods(f->world, .name = "w", .requests = "cpu: 3", .node = "a");
    estate_read(f);
    assert_string_equal(consolidate(f), "");
}

// What a node of $1 saves when one of these replaces it: offerings of $0.1 (spot, zone a), $0.3 (zone b), $0.6 (zone
// a).
static double saving_under(Estate *f, const char *requirements) {
    world_type(f->world, .name = "old", .capacity = "cpu: 8, memory: 16Gi, pods: 10", .price = 1);
    world_type(f->world, .name = "new", .capacity = "cpu: 8, memory: 16Gi, pods: 10", .zones = "");
    world_offering(f->world, .type = "new", .zone = "a", .capacity_type = "spot", .price = 0.1);
    world_offering(f->world, .type = "new", .zone = "b", .price = 0.3);
    world_offering(f->world, .type = "new", .zone = "a", .price = 0.6);
    world_pool(f->world, .name = "default", .requirements = requirements, DISRUPTION);
    estate_node(f, .name = "a", .type = "old");
    world_pods(f->world, .name = "w", .requests = "cpu: 3", .node = "a");
    estate_read(f);
    (void)consolidate(f);
    assert_int_equal(f->pass.commands.count, 1);
    return f->pass.commands.items[0].saving_per_hour;
}

TEST_F(Estate, f, the_cheapest_offering_is_expected) {
    assert_true(fabs(saving_under(f, "") - 0.9) < 1e-9);
}

TEST_F(Estate, f, of_those_of_the_pools_capacity_type) {
    assert_true(fabs(saving_under(f, IN(CAPACITY_TYPE, "on-demand")) - 0.7) < 1e-9);
}

TEST_F(Estate, f, and_of_its_zones) {
    assert_true(fabs(saving_under(f, IN(CAPACITY_TYPE, "on-demand") "," IN(ZONE, "a")) - 0.4) < 1e-9);
}

TEST_F(Estate, f, a_reserved_offering_is_a_target_from_any_capacity_type) {
    world_type(f->world, .name = "old", .capacity = "cpu: 4, memory: 16Gi, pods: 10", .price = 0.2);
    world_type(f->world, .name = "new", .capacity = "cpu: 4, memory: 16Gi, pods: 10", .zones = "", .price = 0.2);
    world_offering(f->world, .type = "new", .zone = "a", .capacity_type = "reserved", .price = 0.0001,
                   .reservation = "r-1", .count = 1);
    world_pool(f->world, .name = "default", .requirements = IN(CAPACITY_TYPE, "reserved, spot, on-demand"), DISRUPTION);
    estate_node(f, .name = "a", .type = "old", .capacity_type = "spot");
    world_pods(f->world, .name = "w", .requests = "cpu: 3", .node = "a");
    estate_read(f);
    f->options.spot_to_spot = true;
    assert_string_equal(consolidate(f), "consolidation a => new reserved");
}

// --- which nodes

TEST_F(Estate, f, when_empty_leaves_nodes_with_pods_alone) {
    world_pool(f->world, .name = "default",
               .spec = "disruption: {consolidateAfter: 0s, consolidationPolicy: WhenEmpty}");
    estate_node(f, .name = "a", .type = "huge");
    world_pods(f->world, .name = "w", .requests = "cpu: 1", .node = "a");
    estate_read(f);
    assert_string_equal(consolidate(f), "");
    assert_string_equal(estate_note(f, "a", "Unconsolidatable"),
                        "NodePool \"default\" has consolidation policy WhenEmpty, but node is not empty");
}

TEST_F(Estate, f, a_budget_of_none_leaves_it_unconsolidated) {
    world_pool(f->world, .name = "default",
               .spec = "disruption: {consolidateAfter: 0s, budgets: [{nodes: \"0\", reasons: [Underutilized]}]}");
    estate_node(f, .name = "a", .type = "huge");
    world_pods(f->world, .name = "w", .requests = "cpu: 1", .node = "a");
    estate_read(f);
    assert_string_equal(consolidate(f), "");
    assert_false(f->pass.consolidated);
    assert_string_equal(estate_note(f, "default", "DisruptionBlocked"),
                        "No allowed disruptions for disruption reason Underutilized due to blocking budget");
}

TEST_F(Estate, f, pools_take_turns) {
    world_pool(f->world, ON_DEMAND);
    world_pool(f->world, .name = "other", .requirements = IN(CAPACITY_TYPE, "on-demand"), DISRUPTION);
    estate_node(f, .name = "a", .type = "huge"); // cannot go
    estate_node(f, .name = "b", .type = "large");
    estate_node(f, .name = "c", .type = "medium", .pool = "other");
    world_pods(f->world, .name = "w", .requests = "cpu: 14", .node = "a", .spec = SELECT("rack: r1"));
    world_pods(f->world, .name = "v", .requests = "cpu: 3", .node = "b");
    world_pods(f->world, .name = "u", .requests = "cpu: 500m", .node = "c", .spec = SELECT(ZONE ": b"));
    estate_read(f);
    // By price b would come before c.
    assert_string_equal(consolidate(f), "consolidation c => small on-demand");
}

// --- several nodes

static void medium_nodes(Estate *f, int count) {
    world_pool(f->world, ON_DEMAND);
    for (int i = 0; i < count; i++) {
        const char *name = arena_printf(&f->arena, "%c", 'a' + i).ptr;

        estate_node(f, .name = name, .type = "medium");
        world_pods(f->world, .name = arena_printf(&f->arena, "w%d", i).ptr, .requests = "cpu: 2500m", .node = name);
    }
    estate_read(f);
}

TEST_F(Estate, f, three_of_four_nodes_become_one) {
    medium_nodes(f, 4);
    assert_string_equal(consolidate(f), "consolidation a b c => large on-demand");
    assert_string_equal(types(f), "large");
}

TEST_F(Estate, f, three_nodes_stay_since_two_of_them_do) {
    medium_nodes(f, 3); // Karpenter's search does not come to the third when the first two cannot go
    assert_string_equal(consolidate(f), "");
}

TEST_F(Estate, f, the_type_of_one_of_them_is_no_replacement) {
    world_pool(f->world, ON_DEMAND);
    estate_node(f, .name = "a", .type = "medium");
    estate_node(f, .name = "b", .type = "medium");
    world_pods(f->world, .name = "w", .requests = "cpu: 2500m", .node = "a");
    world_pods(f->world, .name = "v", .requests = "cpu: 1", .node = "b");
    estate_read(f);
    assert_string_equal(consolidate(f), "consolidation a"); // not both, for another medium
}

TEST_F(Estate, f, a_sum_that_is_larger_by_rounding_alone_is_not_larger) {
    world_type(f->world, .name = "one", .capacity = "cpu: 4, memory: 16Gi, pods: 10", .price = 0.1);
    world_type(f->world, .name = "two", .capacity = "cpu: 4, memory: 16Gi, pods: 10", .price = 0.2);
    world_type(f->world, .name = "three", .capacity = "cpu: 8, memory: 16Gi, pods: 10", .price = 0.3);
    world_pool(f->world, ON_DEMAND);
    estate_node(f, .name = "a", .type = "one");
    estate_node(f, .name = "b", .type = "two");
    world_pods(f->world, .name = "w", .requests = "cpu: 3", .node = "a");
    world_pods(f->world, .name = "v", .requests = "cpu: 3", .node = "b");
    estate_read(f);
    assert_string_equal(consolidate(f), "consolidation b => one on-demand"); // 0.1 + 0.2 > 0.3, for a computer
}

TEST_F(Estate, f, several_go_when_there_is_room_for_all_their_pods) {
    world_pool(f->world, ON_DEMAND);
    estate_node(f, .name = "a", .type = "small");
    estate_node(f, .name = "b", .type = "small");
    world_node(f->world, .name = "foreign");
    world_pods(f->world, .name = "w", .requests = "cpu: 1", .node = "a");
    world_pods(f->world, .name = "v", .requests = "cpu: 1", .node = "b");
    estate_read(f);
    assert_string_equal(consolidate(f), "consolidation a b");
    assert_int_equal(f->pass.commands.items[0].pods, 2);
    assert_int_equal(f->pass.commands.items[0].destinations.count, 1);
    assert_int_equal(f->pass.commands.items[0].destinations.items[0], estate_at(f, "foreign"));
}

TEST_F(Estate, f, no_more_than_the_budget_allows) {
    world_pool(f->world, .name = "default", .spec = "disruption: {consolidateAfter: 0s, budgets: [{nodes: \"1\"}]}");
    estate_node(f, .name = "a", .type = "small");
    estate_node(f, .name = "b", .type = "small");
    world_node(f->world, .name = "foreign");
    world_pods(f->world, .name = "w", .requests = "cpu: 1", .node = "a");
    world_pods(f->world, .name = "v", .requests = "cpu: 1", .node = "b");
    estate_read(f);
    assert_string_equal(consolidate(f), "consolidation a");
}

// --- spot by spot

static void many_types(Estate *f, int count) {
    for (int i = 0; i < count; i++)
        world_type(f->world, .name = arena_printf(&f->arena, "t%02d", i).ptr,
                   .capacity = "cpu: 4, memory: 8Gi, pods: 10", .price = 0.1 + 0.01 * i);
}

static void spot_node(Estate *f, int cheaper) {
    many_types(f, cheaper + 1);
    world_pool(f->world, ANY);
    estate_node(f, .name = "a", .type = arena_printf(&f->arena, "t%02d", cheaper).ptr, .capacity_type = "spot");
    world_pods(f->world, .name = "w", .requests = "cpu: 3", .node = "a");
    estate_read(f);
}

TEST_F(Estate, f, spot_stays_spot_while_the_gate_is_closed) {
    spot_node(f, 20);
    assert_string_equal(consolidate(f), "");
    assert_string_equal(estate_note(f, "a", "Unconsolidatable"),
                        "SpotToSpotConsolidation is disabled, can't replace a spot node with a spot node");
}

TEST_F(Estate, f, one_spot_node_needs_fifteen_cheaper_types) {
    spot_node(f, 14);
    f->options.spot_to_spot = true;
    assert_string_equal(consolidate(f), "");
    assert_string_equal(estate_note(f, "a", "Unconsolidatable"),
                        "SpotToSpotConsolidation requires 15 cheaper instance type options than the current candidate "
                        "to consolidate, got 14");
}

TEST_F(Estate, f, of_which_the_cheapest_fifteen_are_kept) {
    spot_node(f, 20);
    f->options.spot_to_spot = true;
    assert_string_equal(consolidate(f), "consolidation a => t00 spot");
    assert_int_equal(replacement(f)->types.count, 15);
    assert_string_equal(required(f, NAME_CAPACITY_TYPE), "karpenter.sh/capacity-type In [spot]");
}

TEST_F(Estate, f, several_spot_nodes_need_no_fifteen) {
    many_types(f, 3);
    world_type(f->world, .name = "twice", .capacity = "cpu: 8, memory: 16Gi, pods: 10", .price = 0.19);
    world_pool(f->world, ANY);
    estate_node(f, .name = "a", .type = "t02", .capacity_type = "spot");
    estate_node(f, .name = "b", .type = "t02", .capacity_type = "spot");
    world_pods(f->world, .name = "w", .requests = "cpu: 3", .node = "a");
    world_pods(f->world, .name = "v", .requests = "cpu: 3", .node = "b");
    estate_read(f);
    f->options.spot_to_spot = true;
    assert_string_equal(consolidate(f), "consolidation a b => twice spot");
}

// --- proof

TEST_F(Estate, f, a_proof_finds_the_same_again) {
    DisruptCommand proven;

    world_pool(f->world, ANY);
    estate_node(f, .name = "a", .type = "huge");
    world_pods(f->world, .name = "w", .requests = "cpu: 3", .node = "a");
    estate_read(f);
    assert_string_equal(consolidate(f), "consolidation a => medium spot");
    f->bits[estate_at(f, "a")] = NODE_IN_COMMAND;
    assert_string_equal(estate_prove(f, &f->pass.commands.items[0], &proven), "");
    assert_string_equal(estate_command_text(f, &proven), "consolidation a => medium spot");
    assert_int_equal(proven.replacements.items[0].types.count, replacement(f)->types.count);
    assert_string_equal(
        arena_text(&f->arena,
                   requirement_print(&f->arena, &f->facts.cluster->symbols,
                                     requirements_get(&proven.replacements.items[0].requirements, NAME_CAPACITY_TYPE))),
        "karpenter.sh/capacity-type In [spot]");
}

TEST_F(Estate, f, it_fails_when_the_pods_need_more) {
    world_pool(f->world, ON_DEMAND);
    estate_node(f, .name = "a", .type = "small");
    estate_node(f, .name = "b", .type = "medium");
    world_pods(f->world, .name = "w", .requests = "cpu: 1", .node = "a");
    world_pods(f->world, .name = "v", .requests = "cpu: 2500m", .node = "b");
    estate_read(f);
    assert_string_equal(consolidate(f), "consolidation a");
    f->facts.nodes.items[estate_at(f, "b")].deleting = true;
    assert_string_equal(estate_prove(f, &f->pass.commands.items[0], NULL), "scheduling");
}

TEST_F(Estate, f, or_when_a_node_was_nominated) {
    world_pool(f->world, ON_DEMAND);
    estate_node(f, .name = "a", .type = "huge");
    world_pods(f->world, .name = "w", .requests = "cpu: 3", .node = "a");
    estate_read(f);
    (void)consolidate(f);
    f->bits[estate_at(f, "a")] = NODE_NOMINATED;
    assert_string_equal(estate_prove(f, &f->pass.commands.items[0], NULL), "churn");
}

TEST_F(Estate, f, or_when_a_type_that_was_named_is_no_choice_any_more) {
    DisruptCommand command;

    world_pool(f->world, ON_DEMAND);
    estate_node(f, .name = "a", .type = "huge");
    world_pods(f->world, .name = "w", .requests = "cpu: 3", .node = "a");
    estate_read(f);
    (void)consolidate(f);
    command = f->pass.commands.items[0];
    for (vec_each(InstanceType, type, f->facts.pools.items[0].types)) {
        if (type->name == command.replacements.items[0].choice->name)
            for (vec_each(Offering, offering, &type->offerings))
                offering->available = false;
    }
    assert_string_equal(estate_prove(f, &command, NULL), "scheduling");
}

TEST_F(Estate, f, or_when_the_node_costs_less_now) {
    world_pool(f->world, ON_DEMAND);
    estate_node(f, .name = "a", .type = "huge");
    world_pods(f->world, .name = "w", .requests = "cpu: 3", .node = "a");
    estate_read(f);
    (void)consolidate(f);
    for (vec_each(InstanceType, type, f->facts.pools.items[0].types)) {
        if (slice_eq_text(symbol_text(&f->facts.cluster->symbols, type->name), "huge"))
            for (vec_each(Offering, offering, &type->offerings))
                offering->price_per_hour = 0.15;
    }
    assert_string_equal(estate_prove(f, &f->pass.commands.items[0], NULL), "scheduling");
}
