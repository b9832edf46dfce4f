// Marks laid over a list of types.
#include "cloud/aws/launch/mask.h"

static SymbolVec subnets_in(Arena *arena, const LaunchMask *mask, Symbol zone) {
    SymbolVec subnets = {0};

    for (vec_each(const SubnetStatus, subnet, mask->subnets)) {
        if (subnet->zone == zone)
            vec_push(arena, &subnets, subnet->id);
    }
    return subnets;
}

static bool is_masked(Arena *arena, const LaunchMask *mask, const InstanceType *type, const Offering *offering) {
    ArenaMark start = arena_mark(arena);
    SymbolVec subnets = subnets_in(arena, mask, offering->zone);
    UnavailableMark asked = {
        .kind = UNAVAILABLE_OFFERING,
        .capacity_type = offering->capacity_type,
        .type = type->name,
        .zone = offering->zone,
        .group = mask->group,
        .partition = mask->partition,
        .id = offering->reservation_id,
    };
    bool masked = unavailable_offering(mask->book, &asked, subnets.items, subnets.count, mask->now_ns);

    arena_rewind(arena, start);
    return offering->available && masked;
}

static bool has_masked(Arena *arena, const LaunchMask *mask, const InstanceType *type) {
    for (vec_each(const Offering, offering, &type->offerings)) {
        if (is_masked(arena, mask, type, offering))
            return true;
    }
    return false;
}

InstanceTypeVec launch_mask_types(Arena *arena, const LaunchMask *mask, const InstanceTypeVec *types) {
    InstanceTypeVec masked = {0};

    for (vec_each(const InstanceType, type, types)) {
        InstanceType *copy = vec_add(arena, &masked);

        *copy = *type;
        if (!has_masked(arena, mask, type))
            continue;
        copy->offerings = (OfferingVec){0};
        for (vec_each(const Offering, offering, &type->offerings)) {
            Offering *of_copy;

            vec_push(arena, &copy->offerings, *offering);
            of_copy = vec_last(&copy->offerings);
            of_copy->available = offering->available && !is_masked(arena, mask, type, offering);
        }
    }
    return masked;
}
