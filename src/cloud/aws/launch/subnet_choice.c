// Choosing, charging, settling.
#include "cloud/aws/launch/subnet_choice.h"

static ZoneSubnet *of_zone(const ZoneSubnetVec *chosen, Symbol zone) {
    for (vec_each(ZoneSubnet, subnet, chosen)) {
        if (subnet->zone == zone)
            return subnet;
    }
    return NULL;
}

const ZoneSubnet *subnets_of_zone(const ZoneSubnetVec *chosen, Symbol zone) {
    return of_zone(chosen, zone);
}

int64_t subnet_addresses_for(const InstanceType *type, bool is_ipv6) {
    int64_t pods = resources_get(&type->capacity, NAME_PODS);

    return is_ipv6 || pods < 1 ? 1 : pods;
}

SubnetUse subnet_use(Symbols *symbols, const InstanceTypeVec *types, Slice type, Slice subnet, bool is_ipv6) {
    const InstanceType *found = instance_type_find(types, symbol_intern(symbols, type));

    return (SubnetUse){.subnet = symbol_intern(symbols, subnet),
                       .addresses = found ? subnet_addresses_for(found, is_ipv6) : 1};
}

static bool has_offering_in(const InstanceType *type, Symbol zone) {
    for (vec_each(const Offering, offering, &type->offerings)) {
        if (offering->available && offering->zone == zone)
            return true;
    }
    return false;
}

// What an instance in the zone takes at least: that of the smallest type. No type there: 0.
static int64_t addresses_in(const SubnetWish *wish, Symbol zone) {
    int64_t least = INT64_MAX;

    for (vec_each(const InstanceType, type, wish->types)) {
        int64_t addresses = subnet_addresses_for(type, wish->is_ipv6);

        if (addresses < least && has_offering_in(type, zone))
            least = addresses;
    }
    return least == INT64_MAX ? 0 : least;
}

ErrCode subnets_choose(SubnetBook *book, Arena *arena, const SubnetWish *wish, ZoneSubnetVec *ret_chosen,
                       CloudError *error) {
    ZoneSubnetVec chosen = {0};

    if (!wish->subnets->count)
        return cloud_fail_for(error, ERR_INVALID, "SubnetResolutionFailed",
                              "no subnets in the EC2NodeClass' status; see its condition SubnetsReady");
    subnet_book_sweep(book, wish->now_ns);
    book->launches++;
    for (vec_each(const SubnetStatus, subnet, wish->subnets)) {
        ZoneSubnet *best = of_zone(&chosen, subnet->zone);

        if (!best)
            vec_push(arena, &chosen, (ZoneSubnet){subnet->zone, subnet->id, book->launches});
        else if (subnet_book_addresses(book, subnet->id) > subnet_book_addresses(book, best->id))
            best->id = subnet->id;
    }
    for (vec_each(const ZoneSubnet, subnet, &chosen))
        subnet_book_charge(book, subnet->launch, subnet->id, addresses_in(wish, subnet->zone) * wish->instances,
                           wish->now_ns);
    *ret_chosen = chosen;
    return OK;
}

void subnets_settle(SubnetBook *book, const ZoneSubnetVec *chosen, const SubnetUseVec *used, int64_t now_ns) {
    uint64_t launch = chosen->count ? chosen->items[0].launch : ++book->launches;

    subnet_book_discharge(book, launch);
    for (uint32_t i = 0; i < used->count; i++) {
        int64_t addresses = used->items[i].addresses;

        // one charge for all that are in the same subnet, one after the other
        while (i + 1 < used->count && used->items[i + 1].subnet == used->items[i].subnet)
            addresses += used->items[++i].addresses;
        subnet_book_charge(book, launch, used->items[i].subnet, addresses, now_ns);
    }
}

bool subnets_can_hold(const SubnetBook *book, const SubnetStatusVec *subnets, Symbol zone, int64_t addresses) {
    for (vec_each(const SubnetStatus, subnet, subnets)) {
        if (subnet->zone == zone && subnet_book_can_hold(book, subnet->id, addresses))
            return true;
    }
    return false;
}
