// Marks laid over a list of types.
#include "cloud/aws/launch/mask.h"

#include "base/map.h"

// What holds for all types in a zone.
typedef struct {
    Symbol zone, capacity_type;
    bool is_out;
} ZoneMark;

// What is asked of every offering, looked up once.
typedef struct {
    const LaunchMask *mask;
    Arena scratch;
    IndexMap types;      // that have marks of their own
    bool has_wide_marks; // of more than one type
    Vec(ZoneMark) zones;
} Masker;

static bool has_zone(const SymbolVec *zones, Symbol zone) {
    for (uint32_t i = 0; zones && i < zones->count; i++) {
        if (zones->items[i] == zone)
            return true;
    }
    return false;
}

// Whether the zone is left, the capacity type is marked, or all of the zone's subnets are.
static bool find_zone_mark(Masker *masker, Symbol zone, Symbol capacity_type) {
    const LaunchMask *mask = masker->mask;
    UnavailableMark asked = {.kind = UNAVAILABLE_OFFERING, .capacity_type = capacity_type, .zone = zone};
    SymbolVec subnets = {0};
    bool is_out;

    for (vec_each(const SubnetStatus, subnet, mask->subnets)) {
        if (subnet->zone == zone)
            vec_push(&masker->scratch, &subnets, subnet->id);
    }
    is_out = has_zone(mask->zones_left, zone) ||
             unavailable_offering(mask->book, &asked, subnets.items, subnets.count, mask->now_ns);
    vec_push(&masker->scratch, &masker->zones, (ZoneMark){zone, capacity_type, is_out});
    return is_out;
}

static bool zone_is_out(Masker *masker, const Offering *offering) {
    for (vec_each(const ZoneMark, known, &masker->zones)) {
        if (known->zone == offering->zone && known->capacity_type == offering->capacity_type)
            return known->is_out;
    }
    return find_zone_mark(masker, offering->zone, offering->capacity_type);
}

static bool is_marked_itself(const Masker *masker, const InstanceType *type, const Offering *offering) {
    const LaunchMask *mask = masker->mask;
    UnavailableMark asked = {
        .kind = UNAVAILABLE_OFFERING,
        .capacity_type = offering->capacity_type,
        .type = type->name,
        .zone = offering->zone,
        .group = mask->group,
        .partition = mask->partition,
        .id = offering->reservation_id,
    };

    return unavailable_offering(mask->book, &asked, NULL, 0, mask->now_ns);
}

static bool is_masked(Masker *masker, const InstanceType *type, bool type_is_marked, const Offering *offering) {
    if (!offering->available)
        return false;
    if (masker->has_wide_marks && zone_is_out(masker, offering))
        return true;
    return (type_is_marked || (masker->has_wide_marks && offering->reservation_id != NAME_EMPTY)) &&
           is_marked_itself(masker, type, offering);
}

static void prepare(Masker *masker) {
    const LaunchMask *mask = masker->mask;

    masker->has_wide_marks = mask->zones_left && mask->zones_left->count > 0;
    for (vec_each(const UnavailableEntry, entry, &mask->book->entries)) {
        if (entry->mark.kind != UNAVAILABLE_OFFERING)
            masker->has_wide_marks = true;
        else if (u64_map_get(&masker->types, entry->mark.type) == INDEX_NONE)
            u64_map_put(&masker->scratch, &masker->types, entry->mark.type, 0);
    }
}

// Gives the type offerings of its own when one of them is masked.
static void mask_type(Masker *masker, Arena *arena, InstanceType *type) {
    bool is_marked = u64_map_get(&masker->types, type->name) != INDEX_NONE;
    const OfferingVec *given = &type->offerings;
    Offering *items = NULL;

    if (!is_marked && !masker->has_wide_marks)
        return;
    for (uint32_t i = 0; i < given->count; i++) {
        if (!is_masked(masker, type, is_marked, &given->items[i]))
            continue;
        if (!items) {
            items = arena_array_raw(arena, Offering, given->count);
            memcpy(items, given->items, sizeof *items * given->count);
        }
        items[i].available = false;
    }
    if (items)
        type->offerings = (OfferingVec){items, given->count, given->count};
}

InstanceTypeVec launch_mask_types(Arena *arena, const LaunchMask *mask, const InstanceTypeVec *types) {
    Masker masker = {.mask = mask};
    InstanceTypeVec masked = {arena_array_raw(arena, InstanceType, types->count), types->count, types->count};

    prepare(&masker);
    if (types->count)
        memcpy(masked.items, types->items, sizeof *masked.items * types->count);
    for (vec_each(InstanceType, type, &masked))
        mask_type(&masker, arena, type);
    arena_free(&masker.scratch);
    return masked;
}
