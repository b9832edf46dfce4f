// The pods of a plan, and why pods are ignored.
//
// Behaviour: reference scheduling.md 4.1. Pods without status, as in manifests, count as pending when they are not
// bound. A pod whose condition PodScheduled has a reason other than Unschedulable (SchedulingGated) does not.
#pragma once

#include "sched/input/node_view.h"

typedef struct {
    const Pod *pod;
    Slice ignored; // why it is not planned, Karpenter's text of scheduling.md 4.1 after "ignoring pod, "; empty: it is
    bool aside;    // ignored because planning it takes too long (sched/set_aside.h)
    bool from_deleting_node;
    bool moved; // would leave its node by choice (disrupt/whatif.h): some nodes do not take it. Never set here
} PendingPod;
typedef Vec(PendingPod) PendingPodVec;

// Pods to plan, in the order of the cluster, then the reschedulable pods of deleting nodes (do-not-disrupt, PDBs,
// DaemonSet and mirror pods as scheduling.md 4.1 says). Pods that are bound, owned by a DaemonSet or a Node, terminal,
// nominated elsewhere or gated are left out of the result. Pods whose volumes cannot be planned for are ignored with
// that error, also those of deleting nodes (Q7 fixed: no pod is solved without its volumes).
// `now_ns`: wall time, for do-not-disrupt durations.
// O(pods + distinct specs × terms + volumes + evicted pods × budgets of their namespaces).
PendingPodVec pending_select(Arena *arena, Cluster *cluster, const NodeViewVec *nodes, int64_t now_ns);

// Those of the bound pods that need another node when theirs goes, also if they must not be evicted now. O(pods +
// volumes).
PendingPodVec pending_leave(Arena *arena, Cluster *cluster, const Pod *const *pods, uint32_t count);
