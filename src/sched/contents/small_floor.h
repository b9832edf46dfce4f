// The floor of a small input: no plan that places these pods costs less.
//
// A linear program buys fractions of nodes; of a dozen pods on three nodes that is a quarter too little. Here whole
// contents of whole nodes are dealt, by dynamic programming, and what holds between nodes (domains of spreads, limits,
// what runs out) gets a price: docs/design/floor.md, section 7.
#pragma once

#include "sched/solver.h"

typedef struct {
    const uint32_t *placed; // per class: pods of the plan
    const bool *settled;    // per group of the topology: it counts only the domains that have nodes
    double price;           // of the plan, $ per hour: where looking for more ends
    uint64_t steps;         // elementary operations of about two nanoseconds
} SmallFloorQuestion;

// $ per hour; 0 where the input is not small, or nothing is proved. The solver must be as it was before pods were
// placed; steps of its states are remembered there. O(steps).
double small_floor(Solver *solver, const SmallFloorQuestion *question);
