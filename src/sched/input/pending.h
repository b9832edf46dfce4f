// Which pods are planned, and what is wrong with those that are not.
//
// Behaviour: reference scheduling.md 4.1. In a manifest without status every unbound pod counts as pending (a status
// condition PodScheduled with a reason other than Unschedulable, such as SchedulingGated, takes it out).
#pragma once

#include "sched/input/node_view.h"

typedef struct {
    const Pod *pod;
    Slice ignored; // not empty: not planned, and why: Karpenter's text of scheduling.md 4.1 after "ignoring pod, "
    bool aside;    // ignored because planning it takes too long (sched/set_aside.h)
    bool from_deleting_node;
} PendingPod;
typedef Vec(PendingPod) PendingPodVec;

// Pods to plan, in the order of the cluster, then the reschedulable pods of deleting nodes (do-not-disrupt, PDBs,
// DaemonSet and mirror pods as scheduling.md 4.1 says). Pods that are bound, owned by a DaemonSet or a Node, terminal,
// nominated elsewhere or gated are left out without a word. Pods whose volumes cannot be planned for are ignored with
// that error, those of deleting nodes too (Q7 fixed: never solved without their volumes).
// now_ns: for do-not-disrupt durations. O(pods + distinct specs × terms + volumes + evicted pods × budgets).
PendingPodVec pending_select(Arena *arena, Cluster *cluster, const NodeViewVec *nodes, int64_t now_ns);
