// What pods are worth: their share of the price of new nodes at market prices.
#pragma once

#include "sched/fleet/state.h"

// Fills FleetSearch.worth, by the prices of resources that a linear program over the pools' kinds of nodes gives for
// the pods of the search. All pods together are worth what no set of new nodes for them costs less than. 0 where the
// program failed. O(packing_make + a linear program of kinds × dimensions).
void fleet_find_worth(FleetSearch *search);

// Of all the pods that the solver has placed on the bin.
double fleet_worth_of_bin(const FleetSearch *search, const Bin *bin);
