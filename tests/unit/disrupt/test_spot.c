// Spot nodes for spot nodes, and nodes for reserved capacity, in Karpenter's manner. Reference lifecycle.md 4.11.
#include "disrupt/support/estate.h"

#define DISRUPTION "disruption: {consolidateAfter: 0s, budgets: [{nodes: 100%}]}"
#define ROOM       "cpu: 4, memory: 8Gi, pods: 10"

static const char *consolidate(Estate *f) {
    f->options.methods = 1U << METHOD_CONSOLIDATION;
    f->options.spot_to_spot = true;
    return estate_pass(f);
}

// --- spot to spot

enum { TYPES = 25 };

// t00 is the cheapest; they are made in another order. `type` is that of the node.
static void spot_node(Estate *f, int type, const char *requirements) {
    for (int i = 0; i < TYPES; i++) {
        int number = i * 7 % TYPES;

        world_type(f->world, .name = estate_text(f, "t%02d", number), .capacity = ROOM, .price = 0.1 + 0.01 * number);
    }
    world_pool(f->world, .name = "default", .requirements = requirements, .spec = DISRUPTION);
    estate_node(f, .name = "a", .type = estate_text(f, "t%02d", type), .capacity_type = "spot");
    world_pods(f->world, .name = "w", .requests = "cpu: 3", .node = "a");
    estate_read(f);
}

// The types of the replacement are the first of all by price.
static void assert_cheapest(Estate *f, uint32_t count) {
    const InstanceTypeList *types = &f->pass.commands.items[0].replacements.items[0].types;

    assert_int_equal(types->count, count);
    for (uint32_t i = 0; i < count; i++)
        assert_string_equal(arena_text(&f->arena, symbol_text(&f->facts.cluster->symbols, types->items[i]->name)),
                            estate_text(f, "t%02u", i));
}

TEST_F(Estate, f, a_node_of_one_of_the_cheapest_fifteen_types_stays) {
    spot_node(f, 14, "");
    assert_string_equal(consolidate(f), "");
    assert_string_equal(estate_note(f, "a", "Unconsolidatable"),
                        "SpotToSpotConsolidation requires 15 cheaper instance type options than the current candidate "
                        "to consolidate, got 14");
}

TEST_F(Estate, f, the_types_that_are_sent_are_the_cheapest_in_whatever_order_they_were) {
    spot_node(f, 20, "");
    assert_string_equal(consolidate(f), "consolidation a => t00 spot");
    assert_cheapest(f, 15);
}

TEST_F(Estate, f, as_many_more_as_min_values_need) {
    spot_node(f, 20, "{key: " INSTANCE_TYPE ", operator: Exists, minValues: 16}");
    assert_string_equal(consolidate(f), "consolidation a => t00 spot");
    assert_cheapest(f, 16);
}

TEST_F(Estate, f, and_not_fewer_where_they_need_fewer) {
    spot_node(f, 20, "{key: " INSTANCE_TYPE ", operator: Exists, minValues: 10}");
    assert_string_equal(consolidate(f), "consolidation a => t00 spot");
    assert_cheapest(f, 15);
}

// --- reserved capacity

// A node of a type that has a reservation, as has a dearer one.
static const char *with_reservations(Estate *f, const char *type, const char *capacity_type) {
    world_type(f->world, .name = "cheap", .capacity = ROOM, .price = 0.2);
    world_offering(f->world, .type = "cheap", .zone = "a", .capacity_type = "reserved", .price = 0.0000002,
                   .reservation = "r-cheap", .count = 10);
    world_type(f->world, .name = "dear", .capacity = ROOM, .price = 0.4);
    world_offering(f->world, .type = "dear", .zone = "a", .capacity_type = "reserved", .price = 0.0000004,
                   .reservation = "r-dear", .count = 10);
    world_pool(f->world, .name = "default", .requirements = IN(CAPACITY_TYPE, "reserved, spot, on-demand"),
               .spec = DISRUPTION);
    estate_node(f, .name = "a", .type = type, .capacity_type = capacity_type);
    world_pods(f->world, .name = "w", .requests = "cpu: 3", .node = "a");
    estate_read(f);
    return consolidate(f);
}

static const char *reservation(Estate *f) {
    const Offering *offering = f->pass.commands.items[0].replacements.items[0].offering;

    return arena_text(&f->arena, symbol_text(&f->facts.cluster->symbols, offering->reservation_id));
}

TEST_F(Estate, f, from_one_reservation_to_a_cheaper_one) {
    assert_string_equal(with_reservations(f, "dear", "reserved"), "consolidation a => cheap reserved");
    assert_string_equal(reservation(f), "r-cheap");
}

TEST_F(Estate, f, from_on_demand_to_a_reservation_of_the_same_type) {
    assert_string_equal(with_reservations(f, "cheap", "on-demand"), "consolidation a => cheap reserved");
    assert_string_equal(reservation(f), "r-cheap");
}

TEST_F(Estate, f, from_spot_to_a_reservation_of_the_same_type) {
    assert_string_equal(with_reservations(f, "cheap", "spot"), "consolidation a => cheap reserved");
    assert_string_equal(reservation(f), "r-cheap");
}
