// Home pools of a class: those of the highest weight that could serve it.
#pragma once

#include "sched/solver.h"

// The highest weight of a pool that could open a claim for some variant of the class, ignoring limits; INT32_MIN: none
// could. O(pools × variants).
int32_t class_home_weight(Solver *solver, const PodClass *class);
// class_home_weight of every class, in `arena`; NULL: all pools have the same weight.
int32_t *class_home_weights(Solver *solver, Arena *arena);

// Whether opening a claim for a pod of the class depends on the claim alone: the pod has no affinity on the hostname
// and shares no volume. O(groups).
bool class_may_open(const Solver *solver, const PodClass *class);

// Whether the pool certainly opens a claim for such a pod, starting from label state `state`, whatever else is in the
// plan: by the first variant, or one of its alternatives where no rule binds the pod to domains (they are tried
// together on all pools before any others). False for pools with limits. Rules between nodes are not checked.
// O(alternatives × volumes × bitset operations on types).
bool pool_surely_serves(Solver *solver, const Pool *pool, const PodClass *class, uint32_t state);
