// minValues of pools, for contents.
#pragma once

#include "sched/contents/problem.h"

// Whether claims of the pool must meet its minValues.
bool small_wants_values(const SmallProblem *problem, const Pool *pool);

// Whether the types that hold these pods have enough values for the pool's minValues. `counts`: per item. The claim is
// not pinned to domains here, so the result may be true too often, never false too often.
// O(items × variants × bitset operations on types + types × values).
bool small_min_values_met(SmallProblem *problem, const SmallPlace *claim, const uint32_t *counts);
