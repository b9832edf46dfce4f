// Prices of nodes.
#include "cli/consolidate/node_price.h"

#include <math.h>

static Symbol label_or_empty(const Labels *labels, Symbol key) {
    Symbol value = labels_get(labels, key);

    return value == INDEX_NONE ? NAME_EMPTY : value;
}

// karpenter.sh/capacity-type, or what EKS and eksctl call it; else on-demand.
static Symbol capacity_type_of(Symbols *symbols, const Labels *labels) {
    static const char *const keys[] = {"eks.amazonaws.com/capacityType", "node-lifecycle", "lifecycle"};
    Symbol value = label_or_empty(labels, NAME_CAPACITY_TYPE);

    for (size_t i = 0; i < sizeof keys / sizeof *keys && value == NAME_EMPTY; i++) {
        Slice text = symbol_text(symbols, label_or_empty(labels, symbol_intern(symbols, slice_of(keys[i]))));

        if (slice_eq_text(text, "SPOT") || slice_eq_text(text, "spot") || slice_eq_text(text, "Ec2Spot"))
            value = NAME_SPOT;
    }
    return value == NAME_EMPTY ? NAME_ON_DEMAND : value;
}

// The offering of the zone; for on-demand, else, one of another zone.
static const Offering *find_offering(const InstanceType *type, Symbol zone, Symbol capacity_type) {
    const Offering *elsewhere = NULL;

    for (vec_each(const Offering, offering, &type->offerings)) {
        if (offering->capacity_type != capacity_type || isnan(offering->price_per_hour))
            continue;
        if (offering->zone == zone)
            return offering;
        if (capacity_type == NAME_ON_DEMAND && !elsewhere)
            elsewhere = offering;
    }
    return elsewhere;
}

NodePrice node_price(Loaded *loaded, const Labels *labels) {
    NodePrice price = {.type = label_or_empty(labels, NAME_INSTANCE_TYPE),
                       .zone = label_or_empty(labels, NAME_ZONE),
                       .capacity_type = capacity_type_of(&loaded->cluster.symbols, labels)};

    for (uint32_t i = 0; i < loaded->catalogues.count && !price.offering; i++) {
        const InstanceType *type = instance_type_find(loaded->catalogues.items[i], price.type);

        if (type)
            price.offering = find_offering(type, price.zone, price.capacity_type);
    }
    price.per_hour = price.offering ? price.offering->price_per_hour : 0;
    return price;
}
