// Offerings in capacity reservations.
#include "cloud/aws/launch/reserved_filters.h"

#include <math.h>

// In the order in which equal prices are decided.
typedef enum { RESERVATION_ORDINARY, RESERVATION_BLOCK, RESERVATION_INTERRUPTIBLE, RESERVATION_KINDS } ReservationKind;

typedef struct {
    const Symbols *symbols;
    Symbol type_key, interruptible_key; // INDEX_NONE: no offering has such a label
    ReservationKind kind;
} KindFilter;

static bool label_is(const Symbols *symbols, const Offering *offering, Symbol key, const char *value) {
    const Requirement *requirement = key == INDEX_NONE ? NULL : requirements_get(&offering->requirements, key);

    return requirement && requirement_operator(requirement) == OP_IN && requirement->values.count &&
           slice_eq_text(symbol_text(symbols, requirement->values.items[0]), value);
}

static ReservationKind kind_of(const KindFilter *filter, const Offering *offering) {
    if (label_is(filter->symbols, offering, filter->type_key, "capacity-block"))
        return RESERVATION_BLOCK;
    if (label_is(filter->symbols, offering, filter->interruptible_key, "true"))
        return RESERVATION_INTERRUPTIBLE;
    return RESERVATION_ORDINARY;
}

static KindFilter filter_of(const LaunchWish *wish) {
    return (KindFilter){
        .symbols = wish->symbols,
        .type_key = symbol_find(wish->symbols, SLICE("karpenter.k8s.aws/capacity-reservation-type")),
        .interruptible_key = symbol_find(wish->symbols, SLICE("karpenter.k8s.aws/capacity-reservation-interruptible")),
    };
}

// --- one kind

static bool is_of_kind(const void *context, const InstanceType *type, const Offering *offering) {
    const KindFilter *filter = context;

    (void)type;
    return offering->capacity_type == NAME_RESERVED && kind_of(filter, offering) == filter->kind;
}

void launch_filter_reservation_kind(const LaunchWish *wish, InstanceTypeVec *types) {
    KindFilter filter = filter_of(wish);
    double prices[RESERVATION_KINDS] = {INFINITY, INFINITY, INFINITY};

    if (!launch_allows(wish, NAME_CAPACITY_TYPE, NAME_RESERVED) || !launch_types_have(types, NAME_RESERVED))
        return;
    for (vec_each(const InstanceType, type, types)) {
        for (vec_each(const Offering, offering, &type->offerings)) {
            double *price = &prices[kind_of(&filter, offering)];

            if (offering->capacity_type == NAME_RESERVED)
                *price = fmin(*price, offering->price_per_hour);
        }
    }
    for (ReservationKind kind = 0; kind < RESERVATION_KINDS; kind++) {
        if (prices[kind] < prices[filter.kind])
            filter.kind = kind;
    }
    launch_types_keep(types, is_of_kind, &filter);
}

// --- a capacity block

static bool is_the_one(const void *context, const InstanceType *type, const Offering *offering) {
    (void)type;
    return offering == context;
}

void launch_filter_capacity_block(const LaunchWish *wish, InstanceTypeVec *types) {
    KindFilter filter = filter_of(wish);
    const Offering *cheapest = NULL;

    for (vec_each(const InstanceType, type, types)) {
        for (vec_each(const Offering, offering, &type->offerings)) {
            if (kind_of(&filter, offering) != RESERVATION_BLOCK)
                return;
            if (!cheapest || offering->price_per_hour < cheapest->price_per_hour)
                cheapest = offering;
        }
    }
    launch_types_keep(types, is_the_one, cheapest);
}

// --- the roomiest of a zone

static bool is_roomiest(const InstanceType *type, const Offering *offering) {
    for (vec_each(const Offering, other, &type->offerings)) {
        if (other->capacity_type != NAME_RESERVED || other->zone != offering->zone)
            continue;
        if (other->reservation_capacity > offering->reservation_capacity ||
            (other->reservation_capacity == offering->reservation_capacity && other < offering))
            return false;
    }
    return true;
}

static bool is_reserved(const void *context, const InstanceType *type, const Offering *offering) {
    (void)context;
    (void)type;
    return offering->capacity_type == NAME_RESERVED;
}

// What is compared with must stay as it is until all are compared: a list of its own.
static void keep_roomiest(Arena *arena, InstanceType *type) {
    OfferingVec kept = {0};

    for (vec_each(const Offering, offering, &type->offerings)) {
        if (offering->capacity_type == NAME_RESERVED && is_roomiest(type, offering))
            vec_push(arena, &kept, *offering);
    }
    type->offerings = kept;
}

void launch_filter_reserved_offerings(Arena *arena, const LaunchWish *wish, InstanceTypeVec *types) {
    if (!launch_allows(wish, NAME_CAPACITY_TYPE, NAME_RESERVED) || !launch_types_have(types, NAME_RESERVED))
        return;
    for (vec_each(InstanceType, type, types))
        keep_roomiest(arena, type);
    launch_types_keep(types, is_reserved, NULL);
}
