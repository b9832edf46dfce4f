// Home weights: a pod that a heavier pool would have taken opens no claim of a lighter one.
#pragma once

#include "sched/contents/problem.h"

// [item * cells + cell]: the weight of the heaviest pool that certainly opens a claim for a pod of the item in that
// cell; INT64_MIN: no pool certainly does. O(pools × cells × items × bitset operations on types).
const int64_t *small_find_homes(SmallProblem *problem);
