// Split prices: a lower bound from resources that considers which sizes fit where. Each kind of node splits its own
// price over its dimensions, and an item is worth its share of the price of the kind where that is least.
//
// Whatever the splits are, no content of a node is worth more than the node costs, so these prices need no further
// proof. Good splits are found by multiplicative weights: in each round, a kind charges more for the dimensions that
// are most in demand by the items for which it is cheapest. Rounds are cheap (no linear program), so this also serves
// inputs that are too large for other methods.
#pragma once

#include "sched/packing/floor.h"

// The most that a content of a kind in limited supply can be worth.
typedef double BoundContent(void *context, uint32_t kind, const double *worth);

// Raises the floor of the proof. Splits start from `prices` (per scaled dimension), those of resource_prices. Stops
// after `work` elementary operations, or when nothing changes. `ret_dearness`: per kind, a factor by which it is too
// expensive at least: its contents are worth at most its price divided by this. O(rounds × items × kinds × dims).
void split_prices_raise(FloorProof *proof, const Packing *packing, const double *prices, uint64_t work,
                        BoundContent *bound_limited, void *context, double *ret_dearness);
