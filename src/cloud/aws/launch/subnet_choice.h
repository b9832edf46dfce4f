// Which subnet a launch uses in each zone: the one with most free addresses, launches under way counted. Reference
// aws.md 3.3.
#pragma once

#include "cloud/aws/launch/subnet_book.h"
#include "cloud/cloud.h"
#include "model/ec2_node_class.h"

// The subnet of a zone, for one launch.
typedef struct {
    Symbol zone, id;
    uint64_t launch; // its number in the book
} ZoneSubnet;
typedef Vec(ZoneSubnet) ZoneSubnetVec;

// What a launch is about. Borrowed.
typedef struct {
    const SubnetStatusVec *subnets; // of the class
    const InstanceTypeVec *types;   // of the launch, with its offerings
    uint32_t instances;
    bool is_ipv6; // the cluster is: pods take no IPv4 addresses
    int64_t now_ns;
} SubnetWish;

// Where an instance is, and what it takes.
typedef struct {
    Symbol subnet;
    int64_t addresses;
} SubnetUse;
typedef Vec(SubnetUse) SubnetUseVec;

// How many addresses an instance is going to take: as many as it may have pods. The CNI keeps an interface's worth more
// than there are pods (WARM_ENI_TARGET), but no more than the interfaces hold that the number of pods comes from. O(1).
int64_t subnet_addresses_for(const InstanceType *type, bool is_ipv6);

// The same of an instance that was launched; of a type that is not among those, 1. O(types).
SubnetUse subnet_use(Symbols *symbols, const InstanceTypeVec *types, Slice type, Slice subnet, bool is_ipv6);

// Chooses a subnet for each zone of the status, of equal ones the first, in the order in which zones appear there, and
// charges it with what the instances take at least. O(subnets² + offerings + charges × subnets). ERR_INVALID, reason
// SubnetResolutionFailed: the status has no subnets.
ErrCode subnets_choose(SubnetBook *book, Arena *arena, const SubnetWish *wish, ZoneSubnetVec *ret_chosen,
                       CloudError *error);
// Charges what the launched instances are going to take, and nothing else. None: the launch failed. To be called once.
// O(charges × subnets + used × subnets).
void subnets_settle(SubnetBook *book, const ZoneSubnetVec *chosen, const SubnetUseVec *used, int64_t now_ns);

// The subnet of a zone; NULL: none. O(chosen).
const ZoneSubnet *subnets_of_zone(const ZoneSubnetVec *chosen, Symbol zone);
// Whether a subnet of the zone can hold so many addresses. O(subnets²).
bool subnets_can_hold(const SubnetBook *book, const SubnetStatusVec *subnets, Symbol zone, int64_t addresses);
