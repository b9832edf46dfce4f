// What a pod's state means for taking its node away: the predicates of reference lifecycle.md 0.5.
//
// Those that planning needs too are in sched/pod_rules.h: active, daemon, mirror, pending, reschedulable,
// do-not-disrupt, evictable. What a PodDisruptionBudget says is in ctl/common/pod_budgets.h. All O(owners + tolerations) and
// without side effects; times are since 1970.
#pragma once

#include "sched/pod_rules.h"

enum { POD_STUCK_AFTER_S = 60 };

// Terminating, and more than a minute past its deletionTimestamp, which holds the grace period already: the kubelet is
// not there to end it. Nobody waits for such a pod.
bool pod_is_stuck_terminating(const Pod *pod, int64_t now_ns);
// When it will be, if it is terminating; else INT64_MAX.
int64_t pod_stuck_at(const Pod *pod);

// Tolerates karpenter.sh/disrupted:NoSchedule: it wants to stay until the node ends.
bool pod_tolerates_disrupted(const Pod *pod, const Symbols *symbols);

// No do-not-disrupt in force, or on its way out anyway. DaemonSet and mirror pods block as others do.
bool pod_is_disruptable(const Pod *pod, const Symbols *symbols, int64_t now_ns);

// A drain waits for it: it does not tolerate the disruption, is not stuck, and is no mirror pod. Do-not-disrupt pods
// are drained too, sooner or later.
bool pod_is_drainable(const Pod *pod, const Symbols *symbols, int64_t now_ns);
// Drainable and not at its end.
bool pod_is_waiting_eviction(const Pod *pod, const Symbols *symbols, int64_t now_ns);

// kube-scheduler found no node for it and only a new one helps.
bool pod_is_provisionable(const Pod *pod, const Symbols *symbols);

// priorityClassName is system-cluster-critical or system-node-critical.
bool pod_is_critical(const Pod *pod, const Symbols *symbols);

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

// Agrees with pod_is_do_not_disrupt. `err` (may be NULL) says what is wrong with an INVALID one.
DoNotDisrupt pod_do_not_disrupt(const Pod *pod, const Symbols *symbols, int64_t now_ns, Err *err);
