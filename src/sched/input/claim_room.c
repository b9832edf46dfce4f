// Behaviour: reference scheduling.md 3.4 (offering groups) and 10 row 14 (claims that have not launched count as
// capacity from their own spec).
#include "sched/input/claim_room.h"

// The amounts of all launches that were looked at so far.
typedef struct {
    Arena *arena;
    const Symbols *symbols;
    const NodeClaim *claim;
    bool any;
    Resources allocatable, capacity;
} Room;

// A resource that one of the two lacks is dropped.
static void keep_least(Resources *least, const Resources *other) {
    uint32_t count = 0;

    for (uint32_t i = 0; i < least->count; i++) {
        ResourceAmount *mine = &least->items[i];
        int64_t amount = resources_get(other, mine->resource);

        if (!resources_has(other, mine->resource))
            continue;
        least->items[count++] = (ResourceAmount){mine->resource, amount < mine->amount ? amount : mine->amount};
    }
    least->count = count;
}

// `offering`: one with a capacity override, or NULL for the type as it is.
static void consider(Room *room, const InstanceType *type, const Offering *offering) {
    Resources allocatable = instance_type_allocatable(room->arena, room->symbols, type, offering);
    Resources capacity = instance_type_capacity(room->arena, type, offering);

    if (!resources_fit(&room->claim->requests, &allocatable))
        return;

    if (room->any)
        keep_least(&room->allocatable, &allocatable);
    else
        room->allocatable = allocatable;
    resources_max(room->arena, &room->capacity, &capacity);
    room->any = true;
}

// Each offering with an override is considered by itself, the type without override once. Unavailable offerings count
// too: the launch may be under way with one that became unavailable since.
static void consider_type(Room *room, const InstanceType *type, const Requirements *requirements) {
    bool plain = false;

    for (vec_each(Offering, offering, &type->offerings)) {
        if (!offering->has_override && plain)
            continue;
        if (!requirements_intersect(room->symbols, requirements, &offering->requirements, NULL))
            continue;
        consider(room, type, offering->has_override ? offering : NULL);
        plain |= !offering->has_override;
    }
}

void claim_room(Arena *arena, const Symbols *symbols, const NodeClaim *claim, const Requirements *requirements,
                const InstanceTypeVec *types, Resources *ret_allocatable, Resources *ret_capacity) {
    const Requirement *listed = requirements_get(requirements, NAME_INSTANCE_TYPE);
    Room room = {.arena = arena, .symbols = symbols, .claim = claim};

    for (uint32_t i = 0; types && i < types->count; i++) {
        const InstanceType *type = &types->items[i];

        if (listed && !requirement_has(symbols, listed, type->name))
            continue;
        if (requirements_intersect(symbols, requirements, &type->requirements, NULL))
            consider_type(&room, type, requirements);
    }

    *ret_allocatable = room.any ? room.allocatable : resources_copy(arena, &claim->requests);
    *ret_capacity = room.any ? room.capacity : resources_copy(arena, &claim->requests);
}
