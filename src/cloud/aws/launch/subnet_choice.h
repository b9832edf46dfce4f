// Which subnet a launch uses in each zone: the one with most free addresses, launches under way counted. Reference
// aws.md 3.3.
//
// EC2 says how many addresses are free once a minute; launches meanwhile take what the smallest type of theirs has
// pods, before EC2 is called. What was not needed is given back, unless EC2 has said a new number since.
#pragma once

#include "aws/service/ec2_network.h"
#include "cloud/cloud.h"
#include "model/ec2_node_class.h"

// A subnet as it was last described.
typedef struct {
    Symbol id;
    int64_t free;   // addresses, less those that launches are expected to take; may be negative
    uint32_t round; // counts descriptions
} SubnetAddresses;

// {0} is a valid empty book. As large as the account has subnets.
typedef struct {
    Arena arena;
    Vec(SubnetAddresses) subnets;
} SubnetBook;

// The subnet of a zone, for one launch.
typedef struct {
    Symbol zone, id;
    int64_t addresses; // taken from the book for each instance
    uint32_t round;    // of the book at that time
} ZoneSubnet;
typedef Vec(ZoneSubnet) ZoneSubnetVec;

void subnet_book_free(SubnetBook *book);

// Takes over what EC2 describes; what launches took from these subnets is part of it. O(found × subnets).
void subnet_book_refresh(SubnetBook *book, Symbols *symbols, const Ec2SubnetVec *found);
// EC2 refused a launch for want of addresses: there are none until the next description. O(subnets).
void subnet_book_empty(SubnetBook *book, Symbol id);
// The free addresses of a subnet; 0: unknown. O(subnets).
int64_t subnet_book_addresses(const SubnetBook *book, Symbol id);

// Chooses a subnet for each zone of the status, of equal ones the first, in the order in which zones appear there, and
// takes the addresses for `instances` instances. `types`: of the launch, with its offerings. O(subnets² + offerings).
// ERR_INVALID, reason SubnetResolutionFailed: the status has no subnets.
ErrCode subnets_choose(SubnetBook *book, Arena *arena, const SubnetStatusVec *subnets, const InstanceTypeVec *types,
                       uint32_t instances, ZoneSubnetVec *ret_chosen, CloudError *error);
// Gives back what the launch took for instances that are elsewhere, or nowhere. `used`: the subnet of each instance
// that was launched; none: the launch failed. To be called once. O(chosen × (used + subnets)).
void subnets_settle(SubnetBook *book, const ZoneSubnetVec *chosen, uint32_t instances, const SymbolVec *used);

// The subnet of a zone; NULL: none. O(chosen).
const ZoneSubnet *subnets_of_zone(const ZoneSubnetVec *chosen, Symbol zone);
