// What a claim is expected to cost.
#pragma once

#include "sched/solver.h"

// The launch_order of a pool and a state, made when new.
const LaunchOrder *claim_launch_order(Solver *solver, const Pool *pool, uint32_t state);

// The price of what the claim is expected to be launched as, were `rows` its types; ret_row and ret_offering (may be
// NULL) say what. INFINITY: nothing.
double claim_price(Solver *solver, const Bin *bin, const uint64_t *rows, uint32_t *ret_row,
                   const Offering **ret_offering);
