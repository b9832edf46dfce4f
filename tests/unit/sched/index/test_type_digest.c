// Digests of instance types: found in the cache while the types are unchanged, and the tables made from them.
#include "harness/test.h"
#include "model/names.h"
#include "sched/index/type_table.h"

#include <stdlib.h>

typedef struct {
    Arena arena;
    Symbols symbols;
    InstanceTypeVec types;
    TypeDigests *digests;
} Shop;

static void require(Shop *shop, Requirements *set, Symbol key, const char *value) {
    Requirement requirement = requirement_in(&shop->arena, key, symbol_intern(&shop->symbols, slice_of(value)));

    requirements_add(&shop->arena, &shop->symbols, set, &requirement);
}

static void add_offering(Shop *shop, InstanceType *type, const char *zone, const char *rack, double price) {
    Offering *offering = vec_add(&shop->arena, &type->offerings);

    offering->zone = symbol_intern(&shop->symbols, slice_of(zone));
    offering->capacity_type = NAME_SPOT;
    offering->price_per_hour = price;
    offering->available = true;
    require(shop, &offering->requirements, NAME_ZONE, zone);
    require(shop, &offering->requirements, symbol_intern(&shop->symbols, SLICE("example.com/rack")), rack);
}

static Shop *shop_setup(void) {
    Shop *shop = calloc(1, sizeof *shop);
    InstanceType *type;

    assert_non_null(shop);
    names_init(&shop->symbols);
    for (int i = 0; i < 2; i++) {
        type = vec_add(&shop->arena, &shop->types);
        type->name = symbol_intern(&shop->symbols, i ? SLICE("two") : SLICE("one"));
        require(shop, &type->requirements, NAME_INSTANCE_TYPE, i ? "two" : "one");
        resources_set(&shop->arena, &type->capacity, NAME_CPU, 1000);
        add_offering(shop, type, "a", i ? "r2" : "r1", 0.1 + i);
        add_offering(shop, type, "b", "r3", 0.2 + i);
    }
    shop->digests = type_digests_new();
    return shop;
}

static void shop_teardown(Shop *shop) {
    type_digests_free(shop->digests);
    symbols_free(&shop->symbols);
    arena_free(&shop->arena);
    free(shop);
}

FIXTURE(Shop, shop_setup, shop_teardown);

TEST_F(Shop, shop, a_catalogue_that_stands_is_digested_once) {
    const TypeDigest *digest = type_digests_get(shop->digests, &shop->symbols, &shop->types);

    type_digests_sweep(shop->digests);
    assert_ptr_equal(type_digests_get(shop->digests, &shop->symbols, &shop->types), digest);
    assert_int_equal(digest->row_count, 2);
    assert_int_equal(digest->shapes.count, 3); // a of either rack, and b
}

// Types are compared by content, as the memory of a freed vector may be reused.
TEST_F(Shop, shop, a_price_that_changes_makes_another_digest) {
    const TypeDigest *before = type_digests_get(shop->digests, &shop->symbols, &shop->types), *after;

    shop->types.items[0].offerings.items[0].price_per_hour = 0.05;
    after = type_digests_get(shop->digests, &shop->symbols, &shop->types);
    assert_ptr_not_equal(after, before);
    assert_true(after->shapes.items[0].price_min == 0.05);
}

// Offerings that differ only in a label that no constraint mentions have one shape.
TEST_F(Shop, shop, shapes_that_differ_in_what_nothing_mentions_are_one) {
    const TypeDigest *digest = type_digests_get(shop->digests, &shop->symbols, &shop->types);
    Universe universe;
    Dimensions dimensions = {0};
    TypeTable table;

    universe_init(&universe, &shop->arena, &shop->symbols);
    universe_mention_value(&universe, NAME_ZONE, symbol_intern(&shop->symbols, SLICE("a")));
    universe_mention_value(&universe, NAME_CAPACITY_TYPE, NAME_SPOT);
    universe_freeze(&universe);
    type_table_make(&table, digest, &universe, &dimensions);
    assert_int_equal(table.shape_count, 2);
    assert_int_equal(bitset_count(table.shapes[0].rows, table.words), 2);
    assert_true(table.shapes[0].price_min == 0.1);
    for (uint32_t row = 0; row < 2; row++) {
        assert_int_equal(table.rows[row].offerings.items[0].shape, 0);
        assert_int_equal(table.rows[row].offerings.items[1].shape, 1);
    }
}
