// The expected price of a claim.
#pragma once

#include "sched/solver.h"

// The launch order of a pool and a label state, made when new.
const LaunchOrder *claim_launch_order(Solver *solver, const Pool *pool, uint32_t state);

// The price of the offering as which the claim is expected to be launched if `rows` are its types, $ per hour;
// INFINITY: there is none. `ret_row`, `ret_offering` (may be NULL): its type and offering.
double claim_price(Solver *solver, const Bin *bin, const uint64_t *rows, uint32_t *ret_row,
                   const Offering **ret_offering);
