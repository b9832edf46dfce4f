// Lookups in a catalogue (parsed by catalogue_parse.c).
#include "cloud/aws/catalogue.h"

#include <stdlib.h>

const Ec2Region *ec2_catalogue_region(const Ec2Catalogue *catalogue, Slice name) {
    for (uint32_t i = 0; i < catalogue->regions.count; i++) {
        if (slice_eq(catalogue->regions.items[i].name, name))
            return &catalogue->regions.items[i];
    }
    return NULL;
}

static int compare_name(const void *name, const void *type) {
    return slice_cmp(*(const Slice *)name, ((const Ec2Type *)type)->name);
}

const Ec2Type *ec2_catalogue_type(const Ec2Catalogue *catalogue, Slice name) {
    if (catalogue->types.count == 0)
        return NULL;
    return bsearch(&name, catalogue->types.items, catalogue->types.count, sizeof(Ec2Type), compare_name);
}

Slice ec2_arch(Slice architecture) {
    if (slice_eq_text(architecture, "x86_64"))
        return SLICE("amd64");
    return slice_eq_text(architecture, "arm64") ? SLICE("arm64") : SLICE("");
}

const Ec2Offer *ec2_offer(const Ec2Catalogue *catalogue, const Ec2Type *type, const Ec2Region *region) {
    size_t index = (size_t)(region - catalogue->regions.items);

    CHECK(index < catalogue->regions.count, "region %.*s of another catalogue", SLICE_ARG(region->name));
    return &type->offers[index];
}

double ec2_price_on_demand(const Ec2Catalogue *catalogue, const Ec2Type *type, const Ec2Region *region) {
    return ec2_offer(catalogue, type, region)->on_demand_per_hour;
}

double ec2_price_spot(const Ec2Catalogue *catalogue, const Ec2Type *type, const Ec2Region *region, uint32_t zone) {
    const Ec2Offer *offer = ec2_offer(catalogue, type, region);

    if (!(type->usages & EC2_USAGE_SPOT))
        return 0;
    if (offer->spot_per_hour)
        return offer->spot_per_hour[zone];
    return offer->on_demand_per_hour * type->spot_percent / 100;
}
