// Which pods are planned, and what is wrong with those that are not.
//
// Behaviour: reference scheduling.md 4.1. In a manifest without status every unbound pod counts as pending (a status
// condition PodScheduled with a reason other than Unschedulable, such as SchedulingGated, takes it out).
#pragma once

#include "sched/node_view.h"

typedef struct {
    const Pod *pod;
    Slice ignored; // not empty: not planned, with Karpenter's text ("ignoring" reasons of scheduling.md 4.1)
    bool from_deleting_node;
} PendingPod;
typedef Vec(PendingPod) PendingPodVec;

// Pods to plan, in the order of the cluster, then the reschedulable pods of deleting nodes (do-not-disrupt, PDBs,
// DaemonSet and mirror pods as scheduling.md 4.1 says). Pods that are bound, owned by a DaemonSet or a Node, terminal,
// nominated elsewhere or gated are left out without a word. now_ns: for do-not-disrupt durations.
PendingPodVec pending_select(Arena *arena, Cluster *cluster, const NodeViewVec *nodes, int64_t now_ns);

// The validity of a label key in pod selectors and NodePool requirements (scheduling.md 1.7): empty text when it may
// be used, else Karpenter's message. `well_known` are the provider's labels beyond the core ones.
Slice label_key_restricted(Arena *arena, const Symbols *symbols, Symbol key);
