// Karpenter's default KWOK types: "c-4x-arm64-linux" and so on. Reference lifecycle.md 8.
#include "cloud/kwok/type_builder.h"
#include "cloud/kwok/types.h"

static const char *const zones[] = {"test-zone-a", "test-zone-b", "test-zone-c", "test-zone-d"};
static const int64_t GIB = 1 << 30;
static const double PRICE_PER_CPU = 0.025, PRICE_PER_GB = 0.001, SPOT_SHARE = 0.7;

typedef struct {
    int64_t cpus, memory_gib;
    char family;
    Symbol arch, system;
} Shape;

static Offering make_offering(Arena *arena, Symbols *symbols, Symbol zone, Symbol capacity_type, double price) {
    Offering offering = {.zone = zone, .capacity_type = capacity_type, .price_per_hour = price, .available = true};
    Requirement in_zone = requirement_in(arena, NAME_ZONE, zone);
    Requirement of_type = requirement_in(arena, NAME_CAPACITY_TYPE, capacity_type);

    requirements_add(arena, symbols, &offering.requirements, &in_zone);
    requirements_add(arena, symbols, &offering.requirements, &of_type);
    return offering;
}

static OfferingVec make_offerings(Arena *arena, Symbols *symbols, const Shape *shape) {
    double price = PRICE_PER_CPU * (double)shape->cpus + PRICE_PER_GB * (double)(shape->memory_gib * GIB) / 1e9;
    OfferingVec offerings = {0};

    for (size_t i = 0; i < sizeof zones / sizeof *zones; i++) {
        Symbol zone = symbol_intern(symbols, slice_of(zones[i]));

        vec_push(arena, &offerings, make_offering(arena, symbols, zone, NAME_SPOT, price * SPOT_SHARE));
        vec_push(arena, &offerings, make_offering(arena, symbols, zone, NAME_ON_DEMAND, price));
    }
    return offerings;
}

static InstanceType make_type(Arena *arena, Symbols *symbols, const Shape *shape) {
    TypeDraft draft = {.arch = shape->arch, .offerings = make_offerings(arena, symbols, shape)};
    int64_t pods = shape->cpus * 16;

    draft.name = symbol_intern(symbols, arena_printf(arena, "%c-%lldx-%.*s-%.*s", shape->family, (long long)shape->cpus,
                                                     SLICE_ARG(symbol_text(symbols, shape->arch)),
                                                     SLICE_ARG(symbol_text(symbols, shape->system))));
    vec_push(arena, &draft.systems, shape->system);
    draft.cpu = quantity_print(arena, shape->cpus * 1000, QUANTITY_MILLI, QUANTITY_DECIMAL);
    draft.memory = quantity_print(arena, shape->memory_gib * GIB, QUANTITY_UNIT, QUANTITY_BINARY);
    resources_set(arena, &draft.capacity, NAME_CPU, shape->cpus * 1000);
    resources_set(arena, &draft.capacity, NAME_MEMORY, shape->memory_gib * GIB);
    resources_set(arena, &draft.capacity, NAME_PODS, pods < 1024 ? pods : 1024);
    resources_set(arena, &draft.capacity, NAME_EPHEMERAL_STORAGE, 20 * GIB);
    return kwok_build_type(arena, symbols, &draft);
}

InstanceTypeVec kwok_default_types(Arena *arena, Symbols *symbols) {
    static const int64_t cpus[] = {1, 2, 4, 8, 16, 32, 48, 64, 96, 128, 192, 256};
    static const struct {
        char name;
        int64_t gib_per_cpu;
    } families[] = {{'c', 2}, {'s', 4}, {'m', 8}};
    static const Symbol systems[] = {NAME_LINUX, NAME_WINDOWS}, archs[] = {NAME_AMD64, NAME_ARM64};
    InstanceTypeVec types = {0};

    for (size_t c = 0; c < sizeof cpus / sizeof *cpus; c++) {
        for (size_t i = 0; i < 12; i++) { // the 12 combinations of family, operating system and architecture
            Shape shape = {.cpus = cpus[c],
                           .memory_gib = cpus[c] * families[i / 4].gib_per_cpu,
                           .family = families[i / 4].name,
                           .system = systems[i / 2 % 2],
                           .arch = archs[i % 2]};

            vec_push(arena, &types, make_type(arena, symbols, &shape));
        }
    }
    return types;
}
