// Required anti-affinity of pods that have a node, as groups of rules.
//
// kube-scheduler holds to the rules of every pod that runs, so a plan may leave none out. But whoever may create pods
// may write as many as fit into a cluster, and each costs a group and a comparison with every pending pod that it may
// reach. Rules that reach no namespace of a pending pod change no plan: they are no groups. Of the others so many are
// read of one pod (model/pod_bounds.h), and of the pods of one namespace (BOUND_RULES_MAX), as no honest ones have. The
// rest are counted as what they could forbid at most: any pod of the namespaces that they reach. So a node may be left
// empty of these pods without need, and never gets one that kube-scheduler would refuse.
#pragma once

#include "sched/solver.h"

enum { BOUND_RULES_MAX = 4096 };

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

// The pods of the cluster that are being planned, bits by their index.
uint64_t *solver_find_batch(Solver *solver);

// What topology groups count of each pod of the cluster; NULL: there are no rules. Before class_table_finish.
// O(pods × labels + terms × (namespaces that they name + namespaces of pending pods)).
void solver_find_bound(Solver *solver, BoundPod **ret_bound);
