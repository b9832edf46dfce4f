// The instance types of the bench: made up ones as in Karpenter's benchmark, and EC2's.
#include "types.h"

#include "cloud/aws/instance_types.h"
#include "cloud/kwok/type_builder.h"
#include "text/quantity.h"

static const int64_t GIB = 1 << 30;

static void add_offering(Scene *scene, OfferingVec *offerings, Symbol capacity_type, int zone, double price) {
    Offering *offering = vec_add(scene_arena(scene), offerings);
    Requirement in_zone, of_type;

    offering->zone = scene_symbol(scene, "test-zone-%d", zone);
    offering->capacity_type = capacity_type;
    offering->price_per_hour = price;
    offering->available = true;
    in_zone = requirement_in(scene_arena(scene), NAME_ZONE, offering->zone);
    of_type = requirement_in(scene_arena(scene), NAME_CAPACITY_TYPE, capacity_type);
    requirements_add(scene_arena(scene), scene_symbols(scene), &offering->requirements, &in_zone);
    requirements_add(scene_arena(scene), scene_symbols(scene), &offering->requirements, &of_type);
}

static void add_extra(Scene *scene, Requirements *extra, const char *key, Symbol value) {
    Requirement requirement = {.key = scene_symbol(scene, "%s", key)}; // without a value: DoesNotExist

    if (value != NAME_EMPTY)
        requirement = requirement_in(scene_arena(scene), requirement.key, value);
    requirements_add(scene_arena(scene), scene_symbols(scene), extra, &requirement);
}

static InstanceType benchmark_type(Scene *scene, int64_t cpus) {
    double price = 0.1 * (double)cpus + 0.1 * (double)(2 * cpus * GIB) / 1e9;
    Arena *arena = scene_arena(scene);
    TypeDraft draft = {.name = scene_symbol(scene, "fake-it-%d", (int)cpus - 1), .arch = NAME_AMD64};

    vec_push(arena, &draft.systems, NAME_LINUX);
    vec_push(arena, &draft.systems, NAME_WINDOWS);
    vec_push(arena, &draft.systems, scene_symbol(scene, "darwin"));
    resources_set(arena, &draft.capacity, NAME_CPU, cpus * 1000);
    resources_set(arena, &draft.capacity, NAME_MEMORY, 2 * cpus * GIB);
    resources_set(arena, &draft.capacity, NAME_PODS, 10 * cpus);
    draft.cpu = quantity_print(arena, cpus * 1000, QUANTITY_MILLI, QUANTITY_DECIMAL);
    draft.memory = quantity_print(arena, 2 * cpus * GIB, QUANTITY_UNIT, QUANTITY_BINARY);
    for (int zone = 1; zone <= 2; zone++)
        add_offering(scene, &draft.offerings, NAME_SPOT, zone, price);
    for (int zone = 1; zone <= 3; zone++)
        add_offering(scene, &draft.offerings, NAME_ON_DEMAND, zone, price);
    add_extra(scene, &draft.extra, "integer", scene_symbol(scene, "%d", (int)cpus));
    add_extra(scene, &draft.extra, "size", scene_symbol(scene, cpus > 4 ? "large" : "small"));
    add_extra(scene, &draft.extra, "special", cpus > 4 ? scene_symbol(scene, "optional") : NAME_EMPTY);
    return kwok_build_type(arena, scene_symbols(scene), &draft);
}

void types_add_benchmark(Scene *scene) {
    for (int64_t cpus = 1; cpus <= BENCHMARK_TYPES; cpus++)
        vec_push(scene_arena(scene), &scene->types, benchmark_type(scene, cpus));
}

static bool is_of_family(Slice name, const char *const *families) {
    Slice family = slice_first(name, (size_t)slice_find(name, '.'));

    for (; families && *families; families++) {
        if (slice_eq_text(family, *families))
            return true;
    }
    return !families;
}

void types_add_ec2(Scene *scene, const char *const *families, int64_t cpus_max) {
    Ec2TypeOptions options = EC2_TYPE_OPTIONS(SLICE("us-east-1"));
    Arena scratch = {0}; // of the catalogue of all regions
    Ec2Catalogue catalogue;
    InstanceTypeVec all;
    ErrCode code;
    Err err;

    code = ec2_catalogue_parse(&scratch, SLICE("built-in EC2 catalogue"), ec2_catalogue_embedded(), &catalogue, &err);
    if (code == OK)
        code = ec2_instance_types(scene_arena(scene), scene_symbols(scene), &catalogue, &options, NULL, &all, &err);
    CHECK(code == OK, "%s", err.text);
    for (vec_each(InstanceType, type, &all)) {
        bool small = !cpus_max || resources_get(&type->capacity, NAME_CPU) <= cpus_max * 1000;

        if (small && is_of_family(symbol_text(scene_symbols(scene), type->name), families))
            vec_push(scene_arena(scene), &scene->types, *type);
    }
    arena_free(&scratch);
}
