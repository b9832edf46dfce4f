// Which types an account is offered in which zones, gathered from the pages of DescribeInstanceTypeOfferings. Reference
// aws.md 2.1, 4.4.
//
// As with types (type_pages.h) the list is whole or it is none. Local zones that the account has opted into are among
// the zones.
#pragma once

#include "aws/service/ec2_type.h"
#include "base/err.h"

enum { EC2_ZONE_OFFERS_MAX = 1 << 18 };

typedef struct {
    Slice type, zone; // zone by its name: "us-east-1a"
} Ec2ZoneOffer;
typedef Vec(Ec2ZoneOffer) Ec2ZoneOfferVec; // sorted by type, then zone; each once

// The request for the first page.
Ec2DescribeInstanceTypeOfferingsInput ec2_zone_offers_query(void);

// Set `arena`, add all pages, then end.
typedef struct {
    Arena *arena; // of the offers
    Ec2ZoneOfferVec offers;
    bool is_complete; // the last page added was the last of the list
    Err failure;      // the first thing that was wrong, or OK
} Ec2ZoneOfferPages;

// Adds a page, which may go after the call. O(page).
void ec2_zone_offers_add(Ec2ZoneOfferPages *pages, const Ec2DescribeInstanceTypeOfferingsOutput *page);
// O(offers × log offers). ERR_INVALID: an offer without a type or a zone. ERR_TOO_LARGE: more than EC2_ZONE_OFFERS_MAX.
// ERR_IO: the last page is missing. ERR_NOT_FOUND: there are none.
ErrCode ec2_zone_offers_end(Ec2ZoneOfferPages *pages, Ec2ZoneOfferVec *ret_offers, Err *err);

// Whether two lists are equal, so that a change can be told once. O(offers).
bool ec2_zone_offers_eq(const Ec2ZoneOfferVec *a, const Ec2ZoneOfferVec *b);
