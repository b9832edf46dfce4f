// SubnetBook: the free addresses of subnets, less those that launches are about to take. Reference aws.md 3.3;
// aws#5234.
//
// EC2 says how many addresses are free once a minute. An instance takes one at once, and those of its pods over the
// next minutes, as the CNI attaches interfaces; so a charge stands for five minutes, whatever EC2 describes meanwhile,
// and what EC2 has counted already is counted twice until then.
#pragma once

#include "aws/service/ec2_network.h"
#include "base/time.h"
#include "model/names.h"

#define SUBNET_CHARGED_NS (5 * NS_PER_MIN)

// A subnet as it was last described.
typedef struct {
    Symbol id;
    int64_t described, charged; // addresses
    bool is_known;              // it was described
} SubnetAddresses;

// What a launch takes from a subnet.
typedef struct {
    uint64_t launch;
    Symbol subnet;
    int64_t addresses;
    int64_t until_ns;
} SubnetCharge;

// {0} is a valid empty book. As large as the account has subnets, and launches in five minutes.
typedef struct {
    Arena arena;
    Vec(SubnetAddresses) subnets;
    Vec(SubnetCharge) charges;
    uint64_t launches; // numbers given to launches
} SubnetBook;

void subnet_book_free(SubnetBook *book);

// Takes over what EC2 describes. O(found × subnets).
void subnet_book_refresh(SubnetBook *book, Symbols *symbols, const Ec2SubnetVec *found);
// EC2 refused a launch for want of addresses: there are none until the next description. O(subnets).
void subnet_book_empty(SubnetBook *book, Symbol id);

// A launch is to take so many addresses. O(subnets).
void subnet_book_charge(SubnetBook *book, uint64_t launch, Symbol subnet, int64_t addresses, int64_t now_ns);
// It takes none of those. O(charges × subnets).
void subnet_book_discharge(SubnetBook *book, uint64_t launch);
// Ends the charges whose time is over. O(charges × subnets).
void subnet_book_sweep(SubnetBook *book, int64_t now_ns);

// The free addresses of a subnet, maybe less than none; 0: unknown. O(subnets).
int64_t subnet_book_addresses(const SubnetBook *book, Symbol id);
// Whether it has so many, or was never described. O(subnets).
bool subnet_book_can_hold(const SubnetBook *book, Symbol id, int64_t addresses);
