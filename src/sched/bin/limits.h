// What claims are charged of their pool's limits.
#pragma once

#include "sched/solver.h"

// Takes from the pool's limits what the claim may cost at most now; called after each commit to a claim.
void claim_charge(Solver *solver, Bin *bin);

// Cuts all claims of a pool down to types no larger than they are expected to become: gives back what they were charged
// for larger ones.
void pool_tighten(Solver *solver, Pool *pool);

// When nothing moves: cuts claims down where they could together become more than their pool's limits, and charges the
// largest type from now on. Whether any claim was cut down.
bool claims_settle_limits(Solver *solver);

// Undoes the last part of it, before claims change again: what is expected is charged once more, but for pools with
// minValues. claims_settle_limits must follow. O(claims × dims).
void claims_loosen_limits(Solver *solver);
