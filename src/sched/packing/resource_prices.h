// The first lower bound: one price for each resource, the same on all kinds of nodes.
//
// If every node costs at least what its room is worth at those prices, then all items together cost at least what they
// take at those prices. The linear program that makes the most of this has a column per dimension and a row per kind,
// so it is solved in less than a millisecond; on mixes of many sizes it is within a few percent of what is needed.
#pragma once

#include "sched/packing/packing.h"

// Sets the prices (per scaled dimension), what each item is worth at them, and per kind what its room is worth: a bound
// of its contents' worth. False: the linear program failed, and nothing was set. O(a linear program of kinds × dims).
bool resource_prices(const Packing *packing, double *ret_prices, double *ret_worth, double *ret_bounds);
