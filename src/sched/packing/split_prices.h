// Lower bounds from resources that know which sizes fit where: each kind of node splits its price over its dimensions
// in a way of its own, and an item is worth what it takes on the kind where that is least.
//
// Whatever the splits are, no content of a node is then worth more than the node costs, so these prices need no further
// proof. Good splits are looked for by multiplicative weights: each round, a kind charges more for the dimensions that
// the items which would go there need most of. Rounds are cheap (no linear program), so this also serves inputs that
// are too large for anything else.
#pragma once

#include "sched/packing/floor.h"

// How much a content of a kind that runs out can be worth at most.
typedef double BoundContent(void *context, uint32_t kind, const double *worth);

// Raises the proof. Splits start at `prices` (per scaled dimension): those of resource_prices. Stops after `work`
// elementary operations, or when nothing moves. `ret_dearness` gets per kind how many times too dear it is at least:
// contents are worth at most the price divided by that. O(rounds × items × kinds × dims).
void split_prices_raise(FloorProof *proof, const Packing *packing, const double *prices, uint64_t work,
                        BoundContent *bound_limited, void *context, double *ret_dearness);
