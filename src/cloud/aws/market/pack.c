// Tight copies of types.
#include "cloud/aws/market/pack.h"

#include "base/map.h"

typedef struct {
    Arena *arena;
    Arena scratch;
    IndexMap seen; // sets of requirements of offerings, which types share, by address
    Vec(Requirements) copies;
} Packer;

// --- copies

static void *copy_items(Arena *arena, const void *items, size_t size, uint32_t count) {
    return count ? arena_copy(arena, items, size * count) : NULL;
}

// The values of all requirements lie in one array.
static Requirements copy_requirements(Arena *arena, const Requirements *set) {
    Requirement *items;
    uint32_t values = 0;
    Symbol *at;

    if (!set->count)
        return (Requirements){0};
    items = arena_copy(arena, set->items, sizeof *items * set->count);
    for (uint32_t i = 0; i < set->count; i++)
        values += items[i].values.count;
    at = arena_array_raw(arena, Symbol, values);
    for (uint32_t i = 0; i < set->count; i++) {
        const SymbolVec from = items[i].values;

        items[i].values = (SymbolVec){from.count ? at : NULL, from.count, from.count};
        if (from.count)
            memcpy(at, from.items, sizeof *at * from.count);
        at += from.count;
    }
    return (Requirements){items, set->count, set->count};
}

static Requirements copy_once(Packer *packer, const Requirements *set) {
    uint64_t address = (uintptr_t)set->items;
    uint32_t known = u64_map_get(&packer->seen, address);

    if (known < packer->copies.count && packer->copies.items[known].count == set->count)
        return packer->copies.items[known];
    u64_map_put(&packer->scratch, &packer->seen, address, packer->copies.count);
    vec_push(&packer->scratch, &packer->copies, copy_requirements(packer->arena, set));
    return *vec_last(&packer->copies);
}

static Resources copy_resources(Arena *arena, const Resources *list) {
    return (Resources){copy_items(arena, list->items, sizeof *list->items, list->count), list->count, list->count};
}

static OfferingVec copy_offerings(Packer *packer, const OfferingVec *offerings) {
    OfferingVec copy = {copy_items(packer->arena, offerings->items, sizeof *offerings->items, offerings->count),
                        offerings->count, offerings->count};

    for (vec_each(Offering, offering, &copy))
        offering->requirements = copy_once(packer, &offering->requirements);
    return copy;
}

// --- what is equal

static bool offering_eq(const Offering *a, const Offering *b) {
    return a->zone == b->zone && a->capacity_type == b->capacity_type && a->available == b->available &&
           a->price_per_hour == b->price_per_hour && a->price_estimated == b->price_estimated &&
           a->reservation_id == b->reservation_id && a->reservation_capacity == b->reservation_capacity &&
           !a->has_override && !b->has_override && requirements_eq(&a->requirements, &b->requirements);
}

static bool offerings_eq(const OfferingVec *a, const OfferingVec *b) {
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++) {
        if (!offering_eq(&a->items[i], &b->items[i]))
            return false;
    }
    return true;
}

static bool limits_eq(const VolumeLimitVec *a, const VolumeLimitVec *b) {
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++) {
        const VolumeLimit *x = &a->items[i], *y = &b->items[i];

        if (x->driver != y->driver || x->has_count != y->has_count || x->count != y->count)
            return false;
    }
    return true;
}

// `like` NULL: there is none to share with.
static void pack_type(Packer *packer, const InstanceType *type, const InstanceType *like, InstanceType *ret_type) {
    Arena *arena = packer->arena;
    const VolumeLimitVec *limits = &type->volume_limits;

    ret_type->name = type->name;
    ret_type->requirements = like && requirements_eq(&like->requirements, &type->requirements)
                                 ? like->requirements
                                 : copy_requirements(arena, &type->requirements);
    ret_type->offerings = like && offerings_eq(&like->offerings, &type->offerings)
                              ? like->offerings
                              : copy_offerings(packer, &type->offerings);
    ret_type->capacity = like && resources_eq(&like->capacity, &type->capacity)
                             ? like->capacity
                             : copy_resources(arena, &type->capacity);
    ret_type->overhead = like && resources_eq(&like->overhead, &type->overhead)
                             ? like->overhead
                             : copy_resources(arena, &type->overhead);
    ret_type->volume_limits =
        like && limits_eq(&like->volume_limits, limits)
            ? like->volume_limits
            : (VolumeLimitVec){copy_items(arena, limits->items, sizeof *limits->items, limits->count), limits->count,
                               limits->count};
}

TypeList *type_list_pack(const InstanceTypeVec *types, TypeList *model) {
    TypeList *root = model && model->base ? model->base : model;
    TypeList *list = type_list_new(root);
    Packer packer = {.arena = &list->arena};

    list->types = (InstanceTypeVec){arena_array(&list->arena, InstanceType, types->count), types->count, types->count};
    for (uint32_t i = 0; i < types->count; i++) {
        const InstanceType *like = root && i < root->types.count ? &root->types.items[i] : NULL;

        pack_type(&packer, &types->items[i], like && like->name == types->items[i].name ? like : NULL,
                  &list->types.items[i]);
    }
    arena_free(&packer.scratch);
    return list;
}
