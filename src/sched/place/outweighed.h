// Outweighed claims: claims all of whose pods a NodePool of higher weight could serve instead.
//
// A claim is opened in the heaviest pool that can serve the pod; other pods may be placed on it afterwards, even if a
// heavier pool could serve them. So each claim is justified by a pod that no heavier pool could serve. A rebuild may
// remove that justification: it moves the pod, or frees limits of the heavier pool.
#pragma once

#include "sched/solver.h"

typedef struct {
    Solver *solver;
    const int32_t *home_weight; // per class (bin/home_pool.h); NULL: all pools have the same weight
    uint32_t count;             // of outweighed claims, as last accepted
} Outweighed;

// The number of claims all of whose pods have a heavier home pool, whether or not that could serve them now; 0 if all
// pools have the same weight. O(claims × classes of each).
uint32_t claims_below_home(const Solver *solver, const int32_t *home_weight);

// Counts the outweighed claims of the present solution. `home_weight` must outlive `outweighed`. O(claims × classes of
// each × heavier pools).
void outweighed_init(Outweighed *outweighed, Solver *solver, const int32_t *home_weight);

// Whether there are no more outweighed claims than before; their present number then is the one to compare with next.
// The cost of outweighed_init; O(1) if all pools have the same weight.
bool outweighed_holds(Outweighed *outweighed);
