// The book of free addresses.
#include "cloud/aws/launch/subnet_choice.h"

void subnet_book_free(SubnetBook *book) {
    arena_free(&book->arena);
    *book = (SubnetBook){0};
}

static SubnetAddresses *find(const SubnetBook *book, Symbol id) {
    for (vec_each(SubnetAddresses, subnet, &book->subnets)) {
        if (subnet->id == id)
            return subnet;
    }
    return NULL;
}

static SubnetAddresses *find_or_add(SubnetBook *book, Symbol id) {
    SubnetAddresses *subnet = find(book, id);

    if (!subnet) {
        subnet = vec_add(&book->arena, &book->subnets);
        subnet->id = id;
    }
    return subnet;
}

static void set_free(SubnetAddresses *subnet, int64_t addresses) {
    subnet->free = addresses;
    subnet->round++;
}

void subnet_book_refresh(SubnetBook *book, Symbols *symbols, const Ec2SubnetVec *found) {
    for (vec_each(const Ec2Subnet, described, found))
        set_free(find_or_add(book, symbol_intern(symbols, described->subnet_id)),
                 described->available_ip_address_count.value);
}

void subnet_book_empty(SubnetBook *book, Symbol id) {
    set_free(find_or_add(book, id), 0);
}

int64_t subnet_book_addresses(const SubnetBook *book, Symbol id) {
    const SubnetAddresses *subnet = find(book, id);

    return subnet ? subnet->free : 0;
}

// --- choice

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

static bool has_offering_in(const InstanceType *type, Symbol zone) {
    for (vec_each(const Offering, offering, &type->offerings)) {
        if (offering->zone == zone)
            return true;
    }
    return false;
}

// What an instance in the zone takes at least: an address for each pod of the smallest type. No type there: 0.
static int64_t addresses_in(const InstanceTypeVec *types, Symbol zone) {
    int64_t least = -1;

    for (vec_each(const InstanceType, type, types)) {
        int64_t pods = resources_get(&type->capacity, NAME_PODS);

        if (has_offering_in(type, zone) && (least < 0 || pods < least))
            least = pods;
    }
    return least < 0 ? 0 : least;
}

ErrCode subnets_choose(SubnetBook *book, Arena *arena, const SubnetStatusVec *subnets, const InstanceTypeVec *types,
                       uint32_t instances, ZoneSubnetVec *ret_chosen, CloudError *error) {
    ZoneSubnetVec chosen = {0};

    if (!subnets->count)
        return cloud_fail_for(error, ERR_INVALID, "SubnetResolutionFailed",
                              "no subnets in the EC2NodeClass' status; see its condition SubnetsReady");
    for (vec_each(const SubnetStatus, subnet, subnets)) {
        ZoneSubnet *best = of_zone(&chosen, subnet->zone);

        if (!best)
            vec_push(arena, &chosen, (ZoneSubnet){.zone = subnet->zone, .id = subnet->id});
        else if (subnet_book_addresses(book, subnet->id) > subnet_book_addresses(book, best->id))
            best->id = subnet->id;
    }
    for (vec_each(ZoneSubnet, subnet, &chosen)) {
        SubnetAddresses *addresses = find_or_add(book, subnet->id);

        subnet->addresses = addresses_in(types, subnet->zone);
        subnet->round = addresses->round;
        addresses->free -= subnet->addresses * instances;
    }
    *ret_chosen = chosen;
    return OK;
}

void subnets_settle(SubnetBook *book, const ZoneSubnetVec *chosen, uint32_t instances, const SymbolVec *used) {
    for (vec_each(const ZoneSubnet, subnet, chosen)) {
        SubnetAddresses *addresses = find(book, subnet->id);
        uint32_t there = 0;

        for (vec_each(const Symbol, id, used))
            there += *id == subnet->id;
        if (addresses && addresses->round == subnet->round && there < instances)
            addresses->free += subnet->addresses * (instances - there);
    }
}
