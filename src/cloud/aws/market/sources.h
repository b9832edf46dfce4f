// What AWS told of types, zones and prices, and the catalogue that is made of it. Parts come one at a time; each is
// whole or stays as it was. Reference aws.md 4.4, 4.5.
#pragma once

#include "cloud/aws/live/live_catalogue.h"
#include "cloud/aws/live/price_list.h"
#include "cloud/aws/live/spot_history.h"
#include "cloud/aws/live/type_pages.h"

// A part and its memory.
typedef struct {
    Arena arena;
    Ec2TypeVec types;
    Ec2ZoneOfferVec offers;
    Ec2PriceTable prices;
} MarketPart;

typedef enum { MARKET_TYPES, MARKET_OFFERS, MARKET_ON_DEMAND, MARKET_SPOT, MARKET_PARTS } MarketPartKind;

typedef struct {
    Arena arena; // of the built-in catalogue
    Ec2Catalogue baked;
    Slice region;                    // borrowed
    MarketPart *parts[MARKET_PARTS]; // NULL: not known yet
    Arena joined_arena;
    Ec2LiveCatalogue joined;
    bool is_usable;  // there is a catalogue
    uint64_t number; // of the catalogue; grows
    Err why_unusable;
} MarketSources;

// Reads the built-in catalogue, some milliseconds, and joins it. `region` outlives the sources.
void market_sources_init(MarketSources *sources, Slice region);
void market_sources_free(MarketSources *sources);

// Takes over a part, and makes the catalogue anew. O(types × zones + offers). A part from which no catalogue can be
// made, as when no type is offered in any zone, is not taken, and freed: an error of ec2_live_catalogue.
ErrCode market_sources_take(MarketSources *sources, MarketPartKind kind, MarketPart *part, Err *err);

void market_part_free(MarketPart *part); // NULL is fine
