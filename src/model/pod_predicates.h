// Predicates over pods: what a pod's state means for planning and for taking its node away. Reference lifecycle.md 0.5,
// scheduling.md 4.1.
//
// They look at one pod alone. What a PodDisruptionBudget says about it is in model/disruption_budget.h. All
// O(owners + tolerations) and without side effects; times are since 1970.
#pragma once

#include "model/objects.h"

enum { POD_STUCK_AFTER_S = 60 };

// --- what a pod is

// Neither terminal nor terminating.
bool pod_is_active(const Pod *pod);
// Owned by a DaemonSet, which places its pods itself.
bool pod_is_daemon(const Pod *pod, const Symbols *symbols);
// Owned by a Node: a static pod of a kubelet.
bool pod_is_mirror(const Pod *pod, const Symbols *symbols);
// priorityClassName is system-cluster-critical or system-node-critical.
bool pod_is_critical(const Pod *pod, const Symbols *symbols);

// --- where it is, and where it goes

// Waits for a node: unbound, not gated, not nominated to a node, not terminal, no daemon or mirror pod.
// A terminating pod that waits still counts.
bool pod_is_pending(const Pod *pod, const Symbols *symbols);
// kube-scheduler found no node for it and only a new one helps.
bool pod_is_provisionable(const Pod *pod, const Symbols *symbols);

// The node that a pod is on or nominated for: kube-scheduler holds its place there while victims leave or volumes are
// made (KEP-5278). NAME_EMPTY: none, or the pod is over.
Symbol pod_node(const Pod *pod);

// Comes back on another node when its own goes: active, or terminating and of a StatefulSet.
bool pod_is_reschedulable(const Pod *pod, const Symbols *symbols);

// --- whether it may be disturbed

// The annotation karpenter.sh/do-not-disrupt, read.
typedef enum {
    DO_NOT_DISRUPT_NONE,    // no annotation
    DO_NOT_DISRUPT_ALWAYS,  // "true"
    DO_NOT_DISRUPT_UNTIL,   // a duration that runs: until `until_ns`
    DO_NOT_DISRUPT_ELAPSED, // a duration that is over
    DO_NOT_DISRUPT_INVALID, // neither: does not count; "false" too
} DoNotDisruptState;

typedef struct {
    DoNotDisruptState state;
    int64_t until_ns; // of UNTIL; INT64_MAX while the pod has not started
} DoNotDisrupt;

// `err` (may be NULL) says what is wrong with an INVALID one.
DoNotDisrupt pod_do_not_disrupt(const Pod *pod, const Symbols *symbols, int64_t now_ns, Err *err);
// The annotation is in force: ALWAYS or UNTIL.
bool pod_is_do_not_disrupt(const Pod *pod, const Symbols *symbols, int64_t now_ns);

// No do-not-disrupt in force, or on its way out anyway. DaemonSet and mirror pods block as others do.
bool pod_is_disruptable(const Pod *pod, const Symbols *symbols, int64_t now_ns);

// Tolerates karpenter.sh/disrupted:NoSchedule: it wants to stay until the node ends.
bool pod_tolerates_disrupted(const Pod *pod, const Symbols *symbols);

// Whether the eviction API would be asked: active, no mirror pod, does not tolerate karpenter.sh/disrupted:NoSchedule,
// not do-not-disrupt.
bool pod_is_evictable(const Pod *pod, const Symbols *symbols, int64_t now_ns);

// --- whether a drain waits for it

// Terminating, and more than a minute past its deletionTimestamp, which holds the grace period already: the kubelet is
// not there to end it. Nobody waits for such a pod.
bool pod_is_stuck_terminating(const Pod *pod, int64_t now_ns);
// When it will be, if it is terminating; else INT64_MAX.
int64_t pod_stuck_at(const Pod *pod);

// It does not tolerate the disruption, is not stuck, and is no mirror pod. Do-not-disrupt pods are drained too, sooner
// or later.
bool pod_is_drainable(const Pod *pod, const Symbols *symbols, int64_t now_ns);
// Drainable and not at its end.
bool pod_is_waiting_eviction(const Pod *pod, const Symbols *symbols, int64_t now_ns);
