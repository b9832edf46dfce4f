// Types and offerings of a launch.
#include "cloud/aws/launch/launch_types.h"

#include <math.h>

bool launch_allows(const LaunchWish *wish, Symbol key, Symbol value) {
    const Requirement *requirement = requirements_get(wish->requirements, key);

    return !requirement || requirement_has(wish->symbols, requirement, value);
}

bool launch_offering_is_usable(const Offering *offering) {
    return offering->available && (offering->capacity_type != NAME_RESERVED || offering->reservation_capacity > 0);
}

double launch_type_price(const InstanceType *type) {
    double price = INFINITY;

    for (vec_each(const Offering, offering, &type->offerings))
        price = fmin(price, offering->price_per_hour);
    return price;
}

bool launch_types_have(const InstanceTypeVec *types, Symbol capacity_type) {
    for (vec_each(const InstanceType, type, types)) {
        for (vec_each(const Offering, offering, &type->offerings)) {
            if (offering->capacity_type == capacity_type)
                return true;
        }
    }
    return false;
}

void launch_types_keep(InstanceTypeVec *types, LaunchKeep *keep, const void *context) {
    uint32_t count = 0;

    for (vec_each(InstanceType, type, types)) {
        uint32_t left = 0;

        for (vec_each(const Offering, offering, &type->offerings)) {
            if (keep(context, type, offering))
                type->offerings.items[left++] = *offering;
        }
        type->offerings.count = left;
        if (left)
            types->items[count++] = *type;
    }
    types->count = count;
}
