// Existing nodes as bins, and the pods bound to them as counts of topology groups.
#pragma once

#include "sched/solver.h"

// Bound pods of one namespace and spec, which have the same anti-affinity.
typedef struct {
    const Pod *first; // in the order of pods
    U32Vec groups;    // inverse groups of its rules
} BoundOwner;

// What topology groups count of a bound pod.
typedef struct {
    uint32_t label_class;    // INDEX_NONE: no rule looks at it
    const BoundOwner *owner; // NULL: it has no anti-affinity
} BoundPod;

// Mentions the labels of nodes and instance types to the universe, before it is frozen.
void solver_mention_nodes(Solver *solver);

// What topology groups count of each pod of the cluster; NULL: there are no rules.
void solver_find_bound(Solver *solver, BoundPod **ret_bound);

// Makes a bin of each node that is not being deleted; its bound pods are subtracted from its room and counted.
void solver_make_nodes(Solver *solver, const BoundPod *bound);
