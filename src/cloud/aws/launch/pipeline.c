// The filters of a launch, one after the other.
#include "cloud/aws/launch/pipeline.h"

#include "cloud/aws/launch/families.h"
#include "cloud/aws/launch/reserved_filters.h"

#include <math.h>
#include <stdlib.h>

// --- what the claim allows, and fits

static bool fits(Arena *arena, const LaunchWish *wish, const InstanceType *type, const Offering *offering) {
    ArenaMark mark = arena_mark(arena);
    Resources allocatable = instance_type_allocatable(arena, wish->symbols, type, offering);
    bool does = resources_fit(wish->requests, &allocatable);

    arena_rewind(arena, mark);
    return does;
}

static OfferingVec compatible_offerings(Arena *arena, const LaunchWish *wish, const InstanceType *type) {
    bool type_fits = fits(arena, wish, type, NULL);
    OfferingVec left = {0};

    for (vec_each(const Offering, offering, &type->offerings)) {
        if (launch_offering_is_usable(offering) &&
            requirements_intersect(wish->symbols, &offering->requirements, wish->requirements, NULL) &&
            (offering->has_override ? fits(arena, wish, type, offering) : type_fits))
            vec_push(arena, &left, *offering);
    }
    return left;
}

static InstanceTypeVec compatible_types(Arena *arena, const LaunchWish *wish, const InstanceTypeVec *types) {
    InstanceTypeVec left = {0};

    for (vec_each(const InstanceType, type, types)) {
        InstanceType copy = *type;

        if (!requirements_intersect(wish->symbols, &type->requirements, wish->requirements, NULL))
            continue;
        copy.offerings = compatible_offerings(arena, wish, type);
        if (copy.offerings.count)
            vec_push(arena, &left, copy);
    }
    return left;
}

// --- metal and accelerators

enum { DEVICES = 5 };

typedef struct {
    const Symbols *symbols;
    Symbol devices[DEVICES]; // INDEX_NONE: no type has any
} Exotics;

static Exotics exotics(const Symbols *symbols) {
    static const char *const names[DEVICES] = {"nvidia.com/gpu", "amd.com/gpu", "aws.amazon.com/neuron",
                                               "aws.amazon.com/neuroncore", "habana.ai/gaudi"};
    Exotics result = {.symbols = symbols};

    for (size_t i = 0; i < DEVICES; i++)
        result.devices[i] = symbol_find(symbols, slice_of(names[i]));
    return result;
}

static bool is_exotic(const Exotics *of, const InstanceType *type) {
    Slice name = symbol_text(of->symbols, type->name);
    ptrdiff_t dot = slice_find(name, '.');

    if (dot >= 0 && slice_contains(slice_from(name, (size_t)dot), SLICE("metal")))
        return true;
    for (size_t i = 0; i < DEVICES; i++) {
        if (of->devices[i] != INDEX_NONE && resources_get(&type->capacity, of->devices[i]) > 0)
            return true;
    }
    return false;
}

static void filter_exotic(Arena *arena, const LaunchWish *wish, InstanceTypeVec *types) {
    const Exotics of = exotics(wish->symbols);
    InstanceTypeVec plain = {0};

    for (vec_each(const InstanceType, type, types)) {
        if (!is_exotic(&of, type))
            vec_push(arena, &plain, *type);
    }
    if (plain.count)
        *types = plain;
}

// --- dear spot offerings

static bool is_worth_its_price(const void *context, const InstanceType *type, const Offering *offering) {
    const double *on_demand = context;

    (void)type;
    return offering->capacity_type != NAME_SPOT || offering->price_per_hour <= *on_demand;
}

static void filter_dear_spot(const LaunchWish *wish, InstanceTypeVec *types) {
    double cheapest = INFINITY;

    if (!launch_allows(wish, NAME_CAPACITY_TYPE, NAME_SPOT) ||
        !launch_allows(wish, NAME_CAPACITY_TYPE, NAME_ON_DEMAND) || !launch_types_have(types, NAME_ON_DEMAND))
        return;
    for (vec_each(const InstanceType, type, types)) {
        for (vec_each(const Offering, offering, &type->offerings)) {
            if (offering->capacity_type == NAME_ON_DEMAND)
                cheapest = fmin(cheapest, offering->price_per_hour);
        }
    }
    launch_types_keep(types, is_worth_its_price, &cheapest);
}

// --- the cheapest types

typedef struct {
    InstanceType type;
    double price;
    Slice name;
} PricedType;

static int by_price(const void *a, const void *b) {
    const PricedType *left = a, *right = b;

    if (left->price != right->price)
        return left->price < right->price ? -1 : 1;
    return slice_cmp(left->name, right->name);
}

static void keep_cheapest(Arena *arena, const LaunchWish *wish, InstanceTypeVec *types) {
    PricedType *priced = arena_array(arena, PricedType, types->count);

    for (uint32_t i = 0; i < types->count; i++) {
        const InstanceType *type = &types->items[i];

        priced[i] = (PricedType){*type, launch_type_price(type), symbol_text(wish->symbols, type->name)};
    }
    qsort(priced, types->count, sizeof *priced, by_price);
    for (uint32_t i = 0; i < types->count; i++)
        types->items[i] = priced[i].type;
    if (launch_allows(wish, NAME_CAPACITY_TYPE, NAME_SPOT) && launch_types_have(types, NAME_SPOT))
        launch_keep_families(wish->symbols, types, LAUNCH_TYPES_MAX);
    if (types->count > LAUNCH_TYPES_MAX)
        types->count = LAUNCH_TYPES_MAX;
}

static bool has_min_values(const LaunchWish *wish) {
    for (uint32_t i = 0; i < wish->requirements->count; i++) {
        if (wish->requirements->items[i].min_values > 0)
            return true;
    }
    return false;
}

// How many values of the label the types have that the claim allows.
static uint32_t count_values(Arena *arena, const LaunchWish *wish, const Requirement *wanted,
                             const InstanceTypeVec *types) {
    U32Vec seen = {0};

    for (vec_each(const InstanceType, type, types)) {
        const Requirement *has = requirements_get(&type->requirements, wanted->key);

        for (uint32_t i = 0; has && requirement_operator(has) == OP_IN && i < has->values.count; i++) {
            Symbol value = has->values.items[i];

            if (requirement_has(wish->symbols, wanted, value) && !u32_vec_has(&seen, value))
                vec_push(arena, &seen, value);
        }
    }
    return seen.count;
}

static ErrCode check_min_values(Arena *arena, const LaunchWish *wish, const InstanceTypeVec *types, CloudError *error) {
    for (uint32_t i = 0; wish->min_values_strict && i < wish->requirements->count; i++) {
        const Requirement *wanted = &wish->requirements->items[i];
        uint32_t count = count_values(arena, wish, wanted, types);

        if (wanted->min_values > 0 && count < (uint32_t)wanted->min_values)
            return cloud_fail(
                error, ERR_CAPACITY, "the %u cheapest instance types have %u values of %.*s, and minValues asks for %d",
                types->count, count, SLICE_ARG(symbol_text(wish->symbols, wanted->key)), wanted->min_values);
    }
    return OK;
}

// --- one capacity type

static Symbol capacity_type_of(const LaunchWish *wish, const InstanceTypeVec *types) {
    if (launch_allows(wish, NAME_CAPACITY_TYPE, NAME_RESERVED) && launch_types_have(types, NAME_RESERVED))
        return NAME_RESERVED;
    if (launch_allows(wish, NAME_CAPACITY_TYPE, NAME_SPOT) && launch_types_have(types, NAME_SPOT))
        return NAME_SPOT;
    return NAME_ON_DEMAND;
}

static bool has_capacity_type(const void *context, const InstanceType *type, const Offering *offering) {
    (void)type;
    return offering->capacity_type == *(const Symbol *)context;
}

static Slice tenancy_of(const LaunchWish *wish) {
    Symbol key = symbol_find(wish->symbols, SLICE("karpenter.k8s.aws/instance-tenancy"));

    if (key == INDEX_NONE || launch_allows(wish, key, symbol_intern(wish->symbols, SLICE("default"))))
        return SLICE("default");
    return SLICE("dedicated");
}

// --- all of it

static ErrCode nothing_left(Arena *arena, const LaunchWish *wish, const InstanceTypeVec *types, CloudError *error) {
    return cloud_fail(error, ERR_CAPACITY,
                      "none of %u instance types is left by the filter compatible-available: no available offering for "
                      "the requirements %.*s and the requests %.*s",
                      types->count, SLICE_ARG(requirements_print(arena, wish->symbols, wish->requirements)),
                      SLICE_ARG(resources_print_json(arena, wish->symbols, wish->requests)));
}

ErrCode launch_choose(Arena *arena, const LaunchWish *wish, const InstanceTypeVec *types, LaunchChoice *ret_choice,
                      CloudError *error) {
    LaunchChoice choice = {.types = compatible_types(arena, wish, types), .tenancy = tenancy_of(wish)};
    InstanceTypeVec *left = &choice.types;

    if (!left->count)
        return nothing_left(arena, wish, types, error);
    launch_filter_reservation_kind(wish, left);
    launch_filter_capacity_block(wish, left);
    launch_filter_reserved_offerings(arena, wish, left);
    if (!has_min_values(wish)) {
        filter_exotic(arena, wish, left);
        filter_dear_spot(wish, left);
    }
    keep_cheapest(arena, wish, left);
    TRY(check_min_values(arena, wish, left, error));
    choice.capacity_type = capacity_type_of(wish, left);
    launch_types_keep(left, has_capacity_type, &choice.capacity_type);
    choice.is_inflexible = choice.capacity_type == NAME_ON_DEMAND &&
                           launch_allows(wish, NAME_CAPACITY_TYPE, NAME_SPOT) && left->count < LAUNCH_TYPES_FLEXIBLE;
    *ret_choice = choice;
    return OK;
}
