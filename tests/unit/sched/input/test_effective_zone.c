// The zone a pending pod can still go to. Row of reference scheduling.md 12: "metrics" (zone metric).
#include "harness/test.h"
#include "sched/input/effective_zone.h"

typedef struct {
    Arena arena;
    Symbols symbols;
} World;

static SymbolVec zones_of(World *world, const char *letters) {
    SymbolVec zones = {0};

    for (; *letters; letters++)
        vec_push(&world->arena, &zones, symbol_intern(&world->symbols, (Slice){letters, 1}));
    return zones;
}

static Requirement zone_requirement(World *world, Operator op, const char *letters) {
    Expression expression = {.key = NAME_ZONE, .op = op, .values = zones_of(world, letters)};

    return requirement_make(&world->arena, &world->symbols, &expression);
}

// One alternative per entry: zones as letters, "!ab" for NotIn, "*" for one without a zone.
static RequirementsVec volumes_of(World *world, const char *const *alternatives) {
    RequirementsVec volumes = {0};

    for (; alternatives && *alternatives; alternatives++) {
        Requirements *alternative = vec_add(&world->arena, &volumes);
        bool excluded = **alternatives == '!';
        Requirement zone = zone_requirement(world, excluded ? OP_NOT_IN : OP_IN, *alternatives + excluded);

        if (**alternatives != '*')
            requirements_add(&world->arena, &world->symbols, alternative, &zone);
    }
    return volumes;
}

typedef struct {
    const char *pod; // NULL: no requirement; "!ab": NotIn; "-": DoesNotExist
    const char *const *volumes;
    const char *valid; // NULL: no spread or affinity over zones
    const char *expected;
} Case;
#define VOLUMES(...)                                                                                                   \
    (const char *const[]) {                                                                                            \
        __VA_ARGS__, NULL                                                                                              \
    }

static void assert_zone(const Case *c) {
    World world = {0};
    Requirement pod;
    RequirementsVec volumes;
    SymbolVec valid;
    Slice zone;

    names_init(&world.symbols);
    if (c->pod)
        pod = *c->pod == '!'   ? zone_requirement(&world, OP_NOT_IN, c->pod + 1)
              : *c->pod == '-' ? zone_requirement(&world, OP_DOES_NOT_EXIST, "")
                               : zone_requirement(&world, OP_IN, c->pod);
    volumes = volumes_of(&world, c->volumes);
    valid = zones_of(&world, c->valid ? c->valid : "");
    zone = effective_zone(&world.symbols, c->pod ? &pod : NULL, &volumes, c->valid ? &valid : NULL);
    assert_string_equal(arena_text(&world.arena, zone), c->expected);
    symbols_free(&world.symbols);
    arena_free(&world.arena);
}

static void assert_zones(const Case *cases, size_t count) {
    for (size_t i = 0; i < count; i++)
        assert_zone(&cases[i]);
}

TEST(row_metrics_zone_name_when_one_is_left) {
    const Case cases[] = {
        {"a", NULL, NULL, "a"},
        {NULL, VOLUMES("b"), NULL, "b"},
        {NULL, NULL, "c", "c"},
        {"ab", VOLUMES("bc"), NULL, "b"},
        {"ab", NULL, "bc", "b"},
        {"abc", VOLUMES("ab"), "bc", "b"},
        {NULL, VOLUMES("b", "b"), NULL, "b"}, // the same zone from two alternatives is one
        {"b", VOLUMES("a", "b"), NULL, "b"},  // alternatives are united
        {"!a", VOLUMES("ab"), NULL, "b"},
        {"!a", NULL, "ab", "b"},
        {"ab", VOLUMES("!a"), NULL, "b"},
    };

    assert_zones(cases, sizeof cases / sizeof *cases);
}

TEST(row_metrics_flexible_when_several_are_left) {
    const Case cases[] = {
        {NULL, NULL, NULL, "flexible"},
        {"ab", NULL, NULL, "flexible"},
        {"!a", NULL, NULL, "flexible"},
        {NULL, VOLUMES("a", "b"), NULL, "flexible"},
        {NULL, NULL, "ab", "flexible"},
        {"abc", VOLUMES("ab"), "ab", "flexible"},
        {NULL, VOLUMES("*"), NULL, "flexible"},
        {NULL, VOLUMES("a", "*"), NULL, "flexible"}, // an alternative without a zone leaves the zone open
    };

    assert_zones(cases, sizeof cases / sizeof *cases);
}

TEST(row_metrics_none_when_constraints_exclude_each_other) {
    const Case cases[] = {
        {"a", VOLUMES("b"), NULL, "none"}, {"a", NULL, "b", "none"},          {NULL, VOLUMES("a"), "b", "none"},
        {NULL, NULL, "", "none"},          {"ab", VOLUMES("a"), "b", "none"}, {"!a", VOLUMES("a"), NULL, "none"},
        {"-", NULL, NULL, "none"},         {"a", VOLUMES("*"), "", "none"},
    };

    assert_zones(cases, sizeof cases / sizeof *cases);
}
