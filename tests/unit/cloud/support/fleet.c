#include "cloud/support/fleet.h"

#include "harness/test.h"

#include <stdlib.h>

#define IMAGES                                                                                                         \
    "status: {amis: [{id: ami-amd, requirements: [{key: kubernetes.io/arch, operator: In, values: [amd64]}]}, {id: "   \
    "ami-arm, requirements: [{key: kubernetes.io/arch, operator: In, values: [arm64]}]}]}\n"

static bool has_value(const Symbols *symbols, const Offering *offering, const char *value) {
    for (uint32_t i = 0; i < offering->requirements.count; i++) {
        const Requirement *requirement = &offering->requirements.items[i];

        if (requirement->values.count && slice_eq_text(symbol_text(symbols, requirement->values.items[0]), value))
            return true;
    }
    return false;
}

// The reservations of the status, as the offerings have them.
static void add_reservations(TestFleet *test) {
    TestLaunch *launch = test->launch;

    for (vec_each(const InstanceType, type, &launch->types)) {
        for (vec_each(const Offering, offering, &type->offerings)) {
            bool is_block = has_value(&launch->symbols, offering, "capacity-block");

            if (offering->reservation_id == NAME_EMPTY)
                continue;
            vec_push(&launch->arena, &test->class->class.reservations,
                     (CapacityReservation){
                         .id = offering->reservation_id,
                         .type = symbol_intern(&launch->symbols, is_block ? SLICE("capacity-block") : SLICE("default")),
                         .interruptible = has_value(&launch->symbols, offering, "true"),
                     });
        }
    }
}

static void add_subnet(TestFleet *test, const char *id, const char *zone) {
    vec_push(&test->launch->arena, &test->subnets,
             (ZoneSubnet){.id = symbol_intern(&test->launch->symbols, slice_of(id)),
                          .zone = symbol_intern(&test->launch->symbols, slice_of(zone))});
}

void test_fleet_claims(TestFleet *test, uint32_t count) {
    test->fleet.claims = (SliceVec){0};
    for (uint32_t i = 0; i < count; i++)
        vec_push(&test->launch->arena, &test->fleet.claims, arena_printf(&test->launch->arena, "uid-%u", i + 1));
}

TestFleet *test_fleet(const char *lines, const char *types, const char *requirements) {
    TestFleet *test = calloc(1, sizeof *test);
    TemplateGrouping grouping;
    InstanceTypeRefVec refs = {0};
    TestLaunch *launch;

    assert_non_null(test);
    launch = test->launch = test_launch(types, requirements);
    test->class = test_class(arena_printf(&launch->arena, "%s" IMAGES, lines).ptr);
    // One table of symbols: the class is read again with the launch's.
    symbols_free(&test->class->symbols);
    test->class->symbols = launch->symbols;
    test_class_decode(test->class);
    add_reservations(test);
    add_subnet(test, "subnet-a", "a");
    add_subnet(test, "subnet-b", "b");
    assert_int_equal(launch_choose(&launch->arena, &launch->wish, &launch->types, &test->choice, NULL), OK);
    for (vec_each(const InstanceType, type, &test->choice.types))
        vec_push(&launch->arena, &refs, type);
    grouping = (TemplateGrouping){&launch->symbols, &test->class->class, test->choice.capacity_type, false};
    test->groups = template_groups(&launch->arena, &grouping, &refs);
    test->fleet = (Fleet){.symbols = &launch->symbols,
                          .class = &test->class->class,
                          .owner = {SLICE("c"), SLICE("pool"), SLICE("default")},
                          .choice = &test->choice,
                          .subnets = &test->subnets,
                          .groups = &test->groups};
    for (uint32_t i = 0; i < test->groups.count; i++)
        vec_push(&launch->arena, &test->fleet.template_names, arena_printf(&launch->arena, "lt-%u", i + 1));
    test_fleet_claims(test, 1);
    return test;
}

void test_fleet_free(TestFleet *test) {
    test_launch_free(test->launch);
    arena_free(&test->class->arena);
    free(test->class);
    free(test);
}
