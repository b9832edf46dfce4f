// Offerings of instance types: one per zone of the region and capacity type, and one per capacity reservation.
// Reference aws.md 4.4 and 4.5.
#include "cloud/aws/type_offerings.h"

// Divisor of the price of reserved offerings: they are paid for already, so they cost next to nothing, in proportion to
// their on-demand prices.
static const double RESERVED_PRICE_DIVISOR = 10000000;

static const Symbol capacity_types[EC2_CAPACITY_TYPES] = {NAME_ON_DEMAND, NAME_SPOT};

static void add_in(TypeContext *context, Requirements *set, Symbol key, Symbol value) {
    Requirement requirement = requirement_in(context->arena, key, value);

    requirements_add(context->arena, context->symbols, set, &requirement);
}

// The id of a zone that no subnet of the class is in may be unknown.
static void add_zone_id(TypeContext *context, Requirements *set, uint32_t zone) {
    if (context->zone_ids[zone] != NAME_EMPTY)
        add_in(context, set, NAME_ZONE_ID, context->zone_ids[zone]);
}

static void add_absent(TypeContext *context, Requirements *set, Symbol key) {
    requirements_add(context->arena, context->symbols, set, &(Requirement){.key = key});
}

void ec2_prepare_offerings(TypeContext *context) {
    for (uint32_t zone = 0; zone < context->region->zone_count; zone++) {
        for (uint32_t i = 0; i < EC2_CAPACITY_TYPES; i++) {
            Requirements *set = &context->offerings[zone][i];

            add_in(context, set, NAME_CAPACITY_TYPE, capacity_types[i]);
            add_in(context, set, NAME_ZONE, context->zones[zone]);
            add_zone_id(context, set, zone);
            add_absent(context, set, NAME_RESERVATION_ID);
            add_absent(context, set, context->labels[EC2_LABEL_RESERVATION_TYPE]);
            add_absent(context, set, context->labels[EC2_LABEL_RESERVATION_INTERRUPTIBLE]);
        }
    }
}

static bool interfaces_fit(const TypeContext *context, const Ec2Type *type) {
    const EC2NodeClass *class = context->node_class;

    if (class->network_interfaces.count == 0)
        return true;
    if (!type->ena || context->efa_only_interfaces > type->efa_interfaces)
        return false;
    for (uint32_t i = 0; i < class->network_interfaces.count; i++) {
        const NetworkInterface *interface = &class->network_interfaces.items[i];

        if (interface->card_index < 0 || (uint32_t)interface->card_index >= type->cards.count ||
            interface->device_index < 0 ||
            (uint32_t)interface->device_index >= type->cards.items[interface->card_index])
            return false;
    }
    return true;
}

bool ec2_type_is_compatible(const TypeContext *context, const Ec2Type *type) {
    // AL2023 does not boot on the first Graviton generation.
    if (slice_eq(type->family, SLICE("a1")) && slice_eq(context->family->name, SLICE("AL2023")))
        return false;
    if (context->node_class->nested_virtualization && !type->nested_virtualization)
        return false;
    if (context->node_class->launch.enclaves.value && !type->nitro_enclaves)
        return false;
    if (context->node_class->has_connection_tracking && !slice_eq(type->hypervisor, SLICE("nitro")))
        return false;
    return interfaces_fit(context, type);
}

bool ec2_reservation_is_for(const TypeContext *context, const CapacityReservation *reservation, const Ec2Type *type) {
    return slice_eq(symbol_text(context->symbols, reservation->instance_type), type->name);
}

static void add_reserved(TypeContext *context, OfferingVec *offerings, const Ec2Type *type, bool compatible,
                         const CapacityReservation *reservation) {
    const Ec2Offer *offer = ec2_offer(context->catalogue, type, context->region);
    Offering *added = vec_add(context->arena, offerings);
    bool zone_is_usable = false;

    add_in(context, &added->requirements, NAME_CAPACITY_TYPE, NAME_RESERVED);
    add_in(context, &added->requirements, NAME_ZONE, reservation->zone);
    add_in(context, &added->requirements, NAME_RESERVATION_ID, reservation->id);
    add_in(context, &added->requirements, context->labels[EC2_LABEL_RESERVATION_TYPE], reservation->type);
    add_in(context, &added->requirements, context->labels[EC2_LABEL_RESERVATION_INTERRUPTIBLE],
           symbol_intern(context->symbols, reservation->interruptible ? SLICE("true") : SLICE("false")));
    for (uint32_t zone = 0; zone < context->region->zone_count; zone++) {
        if (context->zones[zone] != reservation->zone)
            continue;
        add_zone_id(context, &added->requirements, zone);
        zone_is_usable = offer->zones & context->usable_zones & 1u << zone;
    }
    added->zone = reservation->zone;
    added->capacity_type = NAME_RESERVED;
    added->price_per_hour = offer->on_demand_per_hour / RESERVED_PRICE_DIVISOR;
    added->price_estimated = offer->estimated;
    added->reservation_id = reservation->id;
    added->reservation_capacity = reservation->available_count > 0 ? reservation->available_count : 0;
    added->available = compatible && zone_is_usable && // a full one, too: changes.md 3
                       !slice_eq(symbol_text(context->symbols, reservation->state), SLICE("expiring"));
}

static void add_zone(TypeContext *context, OfferingVec *offerings, const Ec2Type *type, bool compatible, uint32_t zone,
                     uint32_t kind) {
    bool is_spot = capacity_types[kind] == NAME_SPOT;
    const Ec2Offer *offer = ec2_offer(context->catalogue, type, context->region);
    Offering *added;

    if (!(type->usages & (is_spot ? EC2_USAGE_SPOT : EC2_USAGE_ON_DEMAND)))
        return;
    added = vec_add(context->arena, offerings);
    added->requirements = context->offerings[zone][kind];
    added->zone = context->zones[zone];
    added->capacity_type = capacity_types[kind];
    added->price_per_hour =
        is_spot ? ec2_price_spot(context->catalogue, type, context->region, zone) : offer->on_demand_per_hour;
    added->price_estimated = is_spot ? !offer->spot_per_hour : offer->estimated;
    added->available =
        compatible && added->price_per_hour > 0 && (offer->zones & context->usable_zones & 1u << zone) != 0;
}

OfferingVec ec2_type_offerings(TypeContext *context, const Ec2Type *type) {
    bool compatible = ec2_type_is_compatible(context, type);
    OfferingVec offerings = {0};

    for (uint32_t zone = 0; zone < context->region->zone_count; zone++) {
        for (uint32_t kind = 0; kind < EC2_CAPACITY_TYPES; kind++)
            add_zone(context, &offerings, type, compatible, zone, kind);
    }
    for (uint32_t i = 0; i < context->node_class->reservations.count; i++) {
        if (ec2_reservation_is_for(context, &context->node_class->reservations.items[i], type))
            add_reserved(context, &offerings, type, compatible, &context->node_class->reservations.items[i]);
    }
    return offerings;
}
