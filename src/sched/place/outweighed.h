// Claims that heavier NodePools could have had instead.
//
// Whoever opens a claim takes the heaviest pool that can serve him; others may join the claim because it is there. So a
// claim has its reason in one pod that no heavier pool could serve. A rebuild may take that reason away: by moving the
// pod, or by freeing the limits of the heavier pool.
#pragma once

#include "sched/solver.h"

typedef struct {
    Solver *solver;
    const int32_t *home_weight; // per class (bin/home_pool.h); NULL: all pools weigh the same
    uint32_t count;             // of claims without a reason, when last counted
} Outweighed;

// Counts them as they are now. `home_weight` must outlive it. O(claims × classes of each × heavier pools).
void outweighed_init(Outweighed *outweighed, Solver *solver, const int32_t *home_weight);

// Whether there are no more than before. The same cost; O(1) where all pools weigh the same.
bool outweighed_holds(Outweighed *outweighed);
