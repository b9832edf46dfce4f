// Nodes that exist as bins, and the pods bound to them as counts.
#pragma once

#include "sched/solver.h"

// What topology counts of a bound pod.
typedef struct {
    uint32_t label_class; // INDEX_NONE: nobody asks
    U32Vec groups;        // of its own anti-affinity
} BoundPod;

// Mentions to the universe what nodes have and types bring; before it is frozen.
void solver_mention_nodes(Solver *solver);

// What topology counts of each pod of the cluster; NULL when there is no rule that could count it.
void solver_find_bound(Solver *solver, BoundPod **ret_bound);

// Makes a bin of each node that is not being deleted, with its bound pods taken off and counted.
void solver_make_nodes(Solver *solver, const BoundPod *bound);
