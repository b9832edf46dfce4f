// The floor of a small input: a price below which no plan of these pods is.
//
// A linear program may use fractions of nodes, which for a dozen pods on three nodes makes its bound a quarter too low.
// Here whole contents are assigned to whole nodes by dynamic programming, and rules between nodes (domains of spreads,
// limits, supplies) become Lagrange multipliers: docs/design/floor.md, section 7.
#pragma once

#include "sched/contents/deal.h"

typedef struct {
    const uint32_t *placed; // per class: pods of the plan
    const bool *settled;    // per topology group: it counts only the domains with nodes (bin/settle.h)
    double price;           // of the plan, $ per hour: the search ends when the floor reaches it
    uint64_t steps;         // elementary operations of about two nanoseconds
    Deals *deals;           // gets the deals of the rounds; NULL: none are wanted
} SmallFloorQuestion;

// The floor, $ per hour; 0 where the input is too large, or nothing is proved. The solver must be in its state before
// pods were placed; it is not changed, but for the cache of its label states. O(steps).
double small_floor(Solver *solver, const SmallFloorQuestion *question);
