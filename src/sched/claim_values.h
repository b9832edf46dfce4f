// How many label values a NodeClaim lists. The values that its pods exclude add up: without a bound some hundred pods
// could make a claim larger than the API server accepts (etcd takes 1.5 MB).
#pragma once

#include "sched/plan.h"

// Values in all requirements of a claim: with 63 bytes each less than 300 kB. Where there are more, requirements of
// more than CLAIM_VALUES_LONG are shortened, but for the names of instance types (600). The 100 requirements that a
// claim may have are within the bound then.
enum { CLAIM_VALUES_MAX = 4096, CLAIM_VALUES_LONG = 32 };

// Replaces long requirements of a claim that is beyond the bound by the values that its node will have: that of the
// claim's label, else those of its types and their offerings, else none. These are within what was required. New lists
// are in `arena`. O(values + types × offerings).
void claim_bound_values(Arena *arena, Symbols *symbols, PlannedClaim *claim);
