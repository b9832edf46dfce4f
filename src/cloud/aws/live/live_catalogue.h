// The catalogue of the region and account that tenon runs in, of all that EC2 and the price list have answered so far.
//
// It has the form of the built-in one (catalogue.h), so that instance types are computed from it by the same code.
// Before EC2 has told both types and offerings, the built-in types and zones answer, and nothing of them may be
// launched; before there are prices, the built-in prices answer. Behaviour: reference aws.md 4.4, 4.5.
#pragma once

#include "cloud/aws/catalogue.h"
#include "cloud/aws/live/price_table.h"
#include "cloud/aws/live/zone_offers.h"

// What is known; a part that is NULL has not been read yet.
typedef struct {
    const Ec2Catalogue *baked; // the built-in catalogue
    Slice region;
    const Ec2TypeVec *types; // of ec2_types_end
    const Ec2ZoneOfferVec *offers;
    const Ec2PriceTable *on_demand, *spot;
} Ec2LiveSources;

typedef struct {
    Ec2Catalogue catalogue; // of one region
    bool is_confirmed;      // types and zones are those of the account; else no machine is to be launched from it
} Ec2LiveCatalogue;

// Makes the catalogue in `arena`; texts and parts of types are shared with the sources. A type that is offered in no
// zone is left out. Zones have no ids while they are not known (find them in the subnets of a class); those of the
// built-in catalogue are of another account. O(types × (zones + log prices) + offers). ERR_NOT_FOUND: types or offers
// are not known and the built-in catalogue lacks the region, or no type is offered. ERR_TOO_LARGE: more than
// EC2_ZONES_MAX zones.
ErrCode ec2_live_catalogue(Arena *arena, const Ec2LiveSources *sources, Ec2LiveCatalogue *ret_catalogue, Err *err);
