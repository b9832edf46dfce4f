// Which weight of pools is a pod's own: what a heavier pool would have taken opens no claim of a lighter one.
#pragma once

#include "sched/contents/problem.h"

// [item * cells + cell]: the heaviest pool that would surely open a claim for a pod of the item in that cell;
// INT64_MIN: none would for sure. O(pools × cells × items × bitset operations on types).
const int64_t *small_find_homes(SmallProblem *problem);
