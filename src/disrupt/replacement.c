// Narrowing what a replacement may become.
#include "disrupt/replacement.h"

#include "base/buffer.h"
#include "base/numbers.h"

#include <math.h>
#include <stdlib.h>

// In the order in which a launch prefers them.
static const Symbol capacity_types[] = {NAME_RESERVED, NAME_SPOT, NAME_ON_DEMAND};
enum { CAPACITY_TYPES = sizeof capacity_types / sizeof *capacity_types };

// --- prices

static bool may_launch(const Symbols *symbols, const PlannedClaim *claim, const Offering *offering) {
    if (!offering->available || isnan(offering->price_per_hour))
        return false;
    if (offering->capacity_type == NAME_RESERVED && offering->reservation_capacity <= 0)
        return false;
    return requirements_intersect(symbols, &claim->requirements, &offering->requirements, NULL);
}

double replacement_cheapest(const Symbols *symbols, const PlannedClaim *claim, const InstanceType *type) {
    double least = INFINITY;

    for (vec_each(const Offering, offering, &type->offerings)) {
        if (offering->price_per_hour < least && may_launch(symbols, claim, offering))
            least = offering->price_per_hour;
    }
    return least;
}

static double worst_of(const Symbols *symbols, const PlannedClaim *claim, const InstanceType *type,
                       Symbol capacity_type) {
    double most = -INFINITY;

    for (vec_each(const Offering, offering, &type->offerings)) {
        if (offering->capacity_type == capacity_type && may_launch(symbols, claim, offering) &&
            offering->price_per_hour > most)
            most = offering->price_per_hour;
    }
    return most;
}

double replacement_worst(const Symbols *symbols, const PlannedClaim *claim, const InstanceType *type) {
    for (uint32_t i = 0; i < CAPACITY_TYPES; i++) {
        double most = worst_of(symbols, claim, type, capacity_types[i]);

        if (most > -INFINITY)
            return most;
    }
    return INFINITY;
}

bool replacement_may_be(const Symbols *symbols, const PlannedClaim *claim, Symbol capacity_type) {
    const Requirement *requirement = requirements_get(&claim->requirements, NAME_CAPACITY_TYPE);

    return !requirement || requirement_has(symbols, requirement, capacity_type);
}

// --- agreement

typedef struct {
    const InstanceType *type;
    double price;
} PricedType;

static int compare_prices(const void *a, const void *b, void *symbols) {
    const PricedType *x = a, *y = b;

    if (x->price != y->price)
        return x->price < y->price ? -1 : 1;
    return symbol_cmp(symbols, x->type->name, y->type->name);
}

static void sort_types(const Symbols *symbols, PlannedClaim *claim) {
    Arena scratch = {0};
    PricedType *priced = arena_array(&scratch, PricedType, claim->types.count);
    Symbols handle = *symbols;

    for (uint32_t i = 0; i < claim->types.count; i++)
        priced[i] = (PricedType){claim->types.items[i], replacement_cheapest(symbols, claim, claim->types.items[i])};
    if (claim->types.count)
        qsort_r(priced, claim->types.count, sizeof *priced, compare_prices, &handle);
    for (uint32_t i = 0; i < claim->types.count; i++)
        claim->types.items[i] = priced[i].type;
    arena_free(&scratch);
}

// Puts a list of values in the place of what the claim's requirement on the key allows.
static void require_values(Arena *arena, const Symbols *symbols, PlannedClaim *claim, Symbol key, SymbolVec values) {
    const Requirement *before = requirements_get(&claim->requirements, key);
    Requirement now = {.key = key, .values = values, .min_values = before ? before->min_values : 0};

    if (values.count)
        qsort(now.values.items, values.count, sizeof *now.values.items, u32_compare);
    requirements_remove(&claim->requirements, key);
    requirements_add(arena, symbols, &claim->requirements, &now);
}

// The cheapest offering of the best capacity type that a launch may choose.
static void expect_launch(const Symbols *symbols, PlannedClaim *claim) {
    claim->choice = NULL;
    claim->offering = NULL;
    for (uint32_t i = 0; i < CAPACITY_TYPES && !claim->offering; i++) {
        for (vec_each(const InstanceType *, type, &claim->types)) {
            for (vec_each(const Offering, offering, &(*type)->offerings)) {
                if (offering->capacity_type != capacity_types[i] || !may_launch(symbols, claim, offering) ||
                    (claim->offering && claim->offering->price_per_hour <= offering->price_per_hour))
                    continue;
                claim->choice = *type;
                claim->offering = offering;
            }
        }
    }
}

static void settle(Arena *arena, const Symbols *symbols, PlannedClaim *claim) {
    SymbolVec names = {0};

    sort_types(symbols, claim);
    for (vec_each(const InstanceType *, type, &claim->types))
        vec_push(arena, &names, (*type)->name);
    require_values(arena, symbols, claim, NAME_INSTANCE_TYPE, names);
    expect_launch(symbols, claim);
}

// --- narrowing

static const double ROUNDING = 1e-9; // $ per hour

void replacement_keep_below(Arena *arena, const Symbols *symbols, PlannedClaim *claim, double price_per_hour) {
    uint32_t kept = 0;

    for (vec_each(const InstanceType *, type, &claim->types)) {
        if (replacement_worst(symbols, claim, *type) < price_per_hour - ROUNDING)
            claim->types.items[kept++] = *type;
    }
    claim->types.count = kept;
    settle(arena, symbols, claim);
}

void replacement_keep_cheapest(Arena *arena, const Symbols *symbols, PlannedClaim *claim, uint32_t count) {
    sort_types(symbols, claim);
    if (claim->types.count > count)
        claim->types.count = count;
    settle(arena, symbols, claim);
}

void replacement_keep_named(Arena *arena, const Symbols *symbols, PlannedClaim *claim, const SymbolVec *names) {
    IndexMap named = {0};
    Arena scratch = {0};
    uint32_t kept = 0;

    for (vec_each(const Symbol, name, names))
        u64_map_put(&scratch, &named, *name, 1);
    for (vec_each(const InstanceType *, type, &claim->types)) {
        if (u64_map_get(&named, (*type)->name) != INDEX_NONE)
            claim->types.items[kept++] = *type;
    }
    claim->types.count = kept;
    arena_free(&scratch);
    settle(arena, symbols, claim);
}

void replacement_exclude(Arena *arena, const Symbols *symbols, PlannedClaim *claim, Symbol capacity_type) {
    SymbolVec left = {0};

    for (uint32_t i = 0; i < CAPACITY_TYPES; i++) {
        if (capacity_types[i] != capacity_type && replacement_may_be(symbols, claim, capacity_types[i]))
            vec_push(arena, &left, capacity_types[i]);
    }
    require_values(arena, symbols, claim, NAME_CAPACITY_TYPE, left);
    replacement_keep_below(arena, symbols, claim, INFINITY);
}

// --- minValues

static uint32_t count_values(const PlannedClaim *claim, uint32_t count, Symbol key) {
    Arena scratch = {0};
    IndexMap seen = {0};
    uint32_t distinct = 0;

    for (uint32_t i = 0; i < count; i++) {
        const Requirement *of_type = requirements_get(&claim->types.items[i]->requirements, key);

        if (!of_type || of_type->complement)
            continue;
        for (vec_each(const Symbol, value, &of_type->values)) {
            distinct += u64_map_get(&seen, *value) == INDEX_NONE;
            u64_map_put(&scratch, &seen, *value, 1);
        }
    }
    arena_free(&scratch);
    return distinct;
}

bool replacement_meets_min_values(Arena *arena, const Symbols *symbols, const PlannedClaim *claim, uint32_t count,
                                  Slice *ret_complaint) {
    Buffer keys = {0};
    bool meets = true;

    for (uint32_t i = 0; i < claim->requirements.count; i++) {
        const Requirement *requirement = &claim->requirements.items[i];

        if (requirement->min_values <= 0 ||
            count_values(claim, count, requirement->key) >= (uint32_t)requirement->min_values)
            continue;
        buffer_printf(&keys, "%s%.*s", meets ? "" : ", ", SLICE_ARG(symbol_text(symbols, requirement->key)));
        meets = false;
    }
    if (!meets && ret_complaint)
        *ret_complaint = arena_printf(arena, "minValues requirement is not met for label(s) (label(s)=[%.*s])",
                                      SLICE_ARG(buffer_slice(&keys)));
    buffer_free(&keys);
    return meets;
}
