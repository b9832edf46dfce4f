// Weights are tiers: the pools of the heaviest weight that could serve a class are its home.
#pragma once

#include "sched/solver.h"

// That weight; INT32_MIN: no pool could. Limits are not asked, and every variant counts. O(pools × variants).
int32_t class_home_weight(Solver *solver, const PodClass *class);
// Those of all classes; NULL: all pools weigh the same.
int32_t *class_home_weights(Solver *solver, Arena *arena);

// Whether a pod of the class may be the one that a claim is opened for, and nothing but the claim decides that: it
// needs no company on its host and shares no volume. O(groups).
bool class_may_open(const Solver *solver, const PodClass *class);

// Whether the pool would open a claim for such a pod, starting from `state` of it, whatever else is in the plan: under
// its first variant, which all pools are asked for before any further one. Pools with limits promise nothing. Rules
// between nodes are not asked. O(volumes × bitset operations on types).
bool pool_surely_serves(Solver *solver, const Pool *pool, const PodClass *class, uint32_t state);
