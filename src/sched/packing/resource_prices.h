// The first lower bound: one price per resource, the same for all kinds of nodes.
//
// If every node costs at least what its room is worth at those prices, all items together cost at least what they are
// worth at those prices. The linear program that maximises this has a column per dimension and a row per kind, so it is
// solved in less than a millisecond. For mixes of many sizes the bound is within a few percent of the optimum.
#pragma once

#include "sched/packing/packing.h"

// Sets the prices (per scaled dimension), the worth of each item at them, and per kind the worth of its room, which
// bounds that of its contents. False: the linear program failed, and nothing was set. O(a linear program of kinds ×
// dims).
bool resource_prices(const Packing *packing, double *ret_prices, double *ret_worth, double *ret_bounds);
