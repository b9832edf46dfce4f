// Charges of claims to the limits of their pool.
#pragma once

#include "sched/solver.h"

// Updates the charge of a claim: the capacity of the type that it is expected to become; with minValues, of the largest
// of the smallest types that it can list; with Pool.charge_largest, of the largest one. To be called after each commit
// to a claim.
void claim_charge(Solver *solver, Bin *bin);

// Removes from all claims of a pool the types that are larger than the expected one or, with minValues, than what they
// need, and updates their charges.
void pool_tighten(Solver *solver, Pool *pool);

// After placing: charges the largest type from now on, and where the claims of a pool together exceed its limits then,
// calls pool_tighten. Returns whether any claim was changed.
bool claims_settle_limits(Solver *solver);

// Charges the expected type again, before claims change further. Removed types do not come back. claims_settle_limits
// must follow. O(claims × dims).
void claims_loosen_limits(Solver *solver);
