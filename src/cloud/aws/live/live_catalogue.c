// Types, zones and prices joined.
#include "cloud/aws/live/live_catalogue.h"

#include "cloud/aws/live/price_list.h"

#include <stdlib.h>

typedef struct {
    Arena *arena;
    const Ec2LiveSources *sources;
    const Ec2Region *baked_region; // NULL: the built-in catalogue lacks it
    const Ec2Region *home;         // the built-in region whose prices stand in for those that are not known
    Ec2Region *region;             // being made
    Ec2TypeVec types;
} Joiner;

// The first region of the built-in catalogue that has the currency: us-east-1, in China cn-north-1.
static const Ec2Region *find_home(const Ec2Catalogue *baked, Slice currency) {
    for (vec_each(const Ec2Region, region, &baked->regions)) {
        if (slice_eq(region->currency, currency))
            return region;
    }
    return NULL;
}

// Sets the price that the built-in catalogue has for the type; in a region that it does not have it for, an estimate.
static void set_baked_price(const Joiner *joiner, Slice name, Ec2Offer *offer) {
    const Ec2Catalogue *baked = joiner->sources->baked;
    const Ec2Type *type = ec2_catalogue_type(baked, name);
    const Ec2Offer *known = NULL;

    if (type && joiner->baked_region)
        known = ec2_offer(baked, type, joiner->baked_region);
    if (known && known->on_demand_per_hour > 0) {
        offer->on_demand_per_hour = known->on_demand_per_hour;
        offer->estimated = known->estimated;
    } else if (type && joiner->home) {
        offer->on_demand_per_hour = ec2_price_on_demand(baked, type, joiner->home);
        offer->estimated = true;
    }
}

static void set_prices(const Joiner *joiner, Slice name, Ec2Offer *offer) {
    const Ec2PriceTable *on_demand = joiner->sources->on_demand, *spot = joiner->sources->spot;
    double *prices;

    if (on_demand)
        offer->on_demand_per_hour = ec2_price_table_get(on_demand, name, SLICE(""));
    else
        set_baked_price(joiner, name, offer);
    if (!spot)
        return;
    prices = arena_array(joiner->arena, double, joiner->region->zone_count);
    for (uint32_t zone = 0; zone < joiner->region->zone_count; zone++)
        prices[zone] = ec2_price_table_get(spot, name, joiner->region->zones[zone].name);
    offer->spot_per_hour = prices;
}

static void add_type(Joiner *joiner, const Ec2Type *type, uint32_t zones) {
    Ec2Offer *offer;
    Ec2Type *added;

    if (zones == 0)
        return;
    offer = arena_new(joiner->arena, Ec2Offer);
    offer->zones = zones;
    set_prices(joiner, type->name, offer);
    added = vec_add(joiner->arena, &joiner->types);
    *added = *type;
    added->offers = offer;
}

static ErrCode join_baked(Joiner *joiner, Err *err) {
    const Ec2Catalogue *baked = joiner->sources->baked;

    if (!joiner->baked_region)
        return err_set(err, ERR_NOT_FOUND, "EC2 has not told the instance types of %.*s yet",
                       SLICE_ARG(joiner->sources->region));
    joiner->region->zone_count = joiner->baked_region->zone_count;
    for (uint32_t zone = 0; zone < joiner->region->zone_count; zone++)
        joiner->region->zones[zone].name = joiner->baked_region->zones[zone].name;
    for (vec_each(const Ec2Type, type, &baked->types))
        add_type(joiner, type, ec2_offer(baked, type, joiner->baked_region)->zones);
    return OK;
}

static int compare_zones(const void *a, const void *b) {
    return slice_cmp(((const Ec2Zone *)a)->name, ((const Ec2Zone *)b)->name);
}

// The place of a zone in the region, or its number of zones.
static uint32_t find_zone(const Ec2Region *region, Slice name) {
    uint32_t zone = 0;

    while (zone < region->zone_count && !slice_eq(region->zones[zone].name, name))
        zone++;
    return zone;
}

static ErrCode find_zones(Joiner *joiner, Err *err) {
    Ec2Region *region = joiner->region;

    for (vec_each(const Ec2ZoneOffer, offer, joiner->sources->offers)) {
        if (find_zone(region, offer->zone) < region->zone_count)
            continue;
        if (region->zone_count == EC2_ZONES_MAX)
            return err_set(err, ERR_TOO_LARGE, "EC2 offers instance types in more than %d zones of %.*s", EC2_ZONES_MAX,
                           SLICE_ARG(region->name));
        region->zones[region->zone_count++] = (Ec2Zone){.name = offer->zone};
    }
    qsort(region->zones, region->zone_count, sizeof *region->zones, compare_zones);
    return OK;
}

static ErrCode join_live(Joiner *joiner, Err *err) {
    const Ec2ZoneOfferVec *offers = joiner->sources->offers;
    uint32_t next = 0;

    TRY(find_zones(joiner, err));
    for (vec_each(const Ec2Type, type, joiner->sources->types)) {
        uint32_t zones = 0;

        while (next < offers->count && slice_cmp(offers->items[next].type, type->name) < 0)
            next++;
        for (; next < offers->count && slice_eq(offers->items[next].type, type->name); next++)
            zones |= 1u << find_zone(joiner->region, offers->items[next].zone);
        add_type(joiner, type, zones);
    }
    return OK;
}

ErrCode ec2_live_catalogue(Arena *arena, const Ec2LiveSources *sources, Ec2LiveCatalogue *ret_catalogue, Err *err) {
    Ec2LiveCatalogue live = {.is_confirmed = sources->types && sources->offers};
    Joiner joiner = {.arena = arena,
                     .sources = sources,
                     .baked_region = ec2_catalogue_region(sources->baked, sources->region),
                     .region = vec_add(arena, &live.catalogue.regions)};

    joiner.region->name = sources->region;
    joiner.region->currency = ec2_price_currency(sources->region);
    joiner.home = find_home(sources->baked, joiner.region->currency);
    TRY(live.is_confirmed ? join_live(&joiner, err) : join_baked(&joiner, err));
    if (joiner.types.count == 0)
        return err_set(err, ERR_NOT_FOUND, "EC2 offers none of its instance types in a zone of %.*s",
                       SLICE_ARG(sources->region));
    live.catalogue.types = joiner.types;
    *ret_catalogue = live;
    return OK;
}
