// What a node costs, by its labels, whoever made it.
#pragma once

#include "cli/load.h"

typedef struct {
    const Offering *offering;         // NULL: no type that is known, or none of its offerings, is what the labels say
    Symbol type, zone, capacity_type; // as labelled, NAME_EMPTY: not. Capacity types of node groups are translated
    double per_hour;                  // $; 0 without an offering
} NodePrice;

// A node without a capacity type counts as on-demand, and an on-demand node of a zone that is not listed costs what its
// type costs in another zone. O(types + offerings).
NodePrice node_price(Loaded *loaded, const Labels *labels);
