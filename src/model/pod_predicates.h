// Predicates over pods, for planning and for disrupting their nodes. Reference lifecycle.md 0.5, scheduling.md 4.1.
//
// Each looks at one pod alone; PodDisruptionBudgets are in model/disruption_budget.h. All O(owners + tolerations) and
// without side effects; times are since 1970.
#pragma once

#include "model/objects.h"

enum { POD_STUCK_AFTER_S = 60 };

// --- kind of pod

// Whether the pod is neither terminal nor terminating.
bool pod_is_active(const Pod *pod);
// Whether a DaemonSet owns the pod, whose controller chooses its node.
bool pod_is_daemon(const Pod *pod);
// Whether a Node owns the pod: a static pod of a kubelet.
bool pod_is_mirror(const Pod *pod);
// Whether a StatefulSet owns the pod: it comes back under its name when this one has ended.
bool pod_is_stateful(const Pod *pod);
// Whether a ReplicaSet owns the pod.
bool pod_is_of_replica_set(const Pod *pod);
// Whether the value of controller.kubernetes.io/pod-deletion-cost is tenon's: tenon.sh/pod-deletion-cost says the same.
// False where the pod has none.
bool pod_deletion_cost_is_own(const Pod *pod);
// Whether priorityClassName is system-cluster-critical or system-node-critical.
bool pod_is_critical(const Pod *pod, const Symbols *symbols);

// --- node of the pod

// Whether the pod waits for a node: unbound, not gated, not nominated to a node, not terminal, no daemon or mirror pod.
// A terminating one does not, whatever keeps it: kube-scheduler leaves it alone, though Karpenter plans for it.
bool pod_is_pending(const Pod *pod);
// Whether kube-scheduler found no node for the pod and only a new one helps.
bool pod_is_provisionable(const Pod *pod);

// The node that the pod is bound to or nominated for: kube-scheduler reserves its place there while victims are evicted
// or volumes are provisioned (KEP-5278). NAME_EMPTY: none, or the pod is terminal.
Symbol pod_node(const Pod *pod);

// Whether the pod will need another node when its own goes away: active, or terminating and of a StatefulSet.
bool pod_is_reschedulable(const Pod *pod);

// --- disruption

// State of the annotation karpenter.sh/do-not-disrupt.
typedef enum {
    DO_NOT_DISRUPT_NONE,    // no annotation
    DO_NOT_DISRUPT_ALWAYS,  // "true"
    DO_NOT_DISRUPT_UNTIL,   // a duration, in force until `until_ns`
    DO_NOT_DISRUPT_ELAPSED, // a duration that has passed
    DO_NOT_DISRUPT_INVALID, // any other value, "false" too: no effect
} DoNotDisruptState;

typedef struct {
    DoNotDisruptState state;
    int64_t until_ns; // of UNTIL; INT64_MAX while the pod has not started
} DoNotDisrupt;

// Whether the pod keeps its node from disruption: by do-not-disrupt, or by karpenter.sh/do-not-evict, the name of 2023
// (reference legacy.md 4). `err` (may be NULL) says what is wrong with an INVALID one.
DoNotDisrupt pod_do_not_disrupt(const Pod *pod, const Symbols *symbols, int64_t now_ns, Err *err);
// Whether the annotation is in force: ALWAYS or UNTIL.
bool pod_is_do_not_disrupt(const Pod *pod, const Symbols *symbols, int64_t now_ns);

// Whether the pod holds up the drain of a node that goes anyway: by do-not-disrupt alone, since do-not-evict has no
// effect on a deletion by hand or an interruption.
DoNotDisrupt pod_do_not_drain(const Pod *pod, const Symbols *symbols, int64_t now_ns, Err *err);

// Whether the pod may be disrupted: no do-not-disrupt in force, or terminating or terminal anyway. DaemonSet and mirror
// pods are judged like others.
bool pod_is_disruptable(const Pod *pod, const Symbols *symbols, int64_t now_ns);

// Whether the pod tolerates karpenter.sh/disrupted:NoSchedule: it stays until the node ends.
bool pod_tolerates_disrupted(const Pod *pod, const Symbols *symbols);

// Whether the eviction API would be called for the pod: active, no mirror pod, does not tolerate
// karpenter.sh/disrupted:NoSchedule, does not hold up a drain.
bool pod_is_evictable(const Pod *pod, const Symbols *symbols, int64_t now_ns);

// --- surge

enum { POD_SURGE_MIN = 5 };

// How long the pod's eviction may wait for another pod that its Deployment starts (annotation tenon.sh/surge): "true"
// for POD_SURGE_MIN, or a duration. 0: it does not wait; a value that cannot be read counts as none.
int64_t pod_surge_ns(const Pod *pod, const Symbols *symbols);
// Name of the Deployment whose ReplicaSet the pod is of, by the name of the ReplicaSet: "<deployment>-<hash>". Empty:
// none.
Slice pod_deployment(const Pod *pod, const Symbols *symbols);
// The uid of the pod that this one was started for (annotation tenon.sh/surge-for: "<uid>/<time>"); empty: none.
Slice pod_surges_for(const Pod *pod, const Symbols *symbols);

// --- drain

// Whether the pod is terminating and more than a minute past its deletionTimestamp, which includes the grace period: no
// kubelet is there to end it. Drains do not wait for such a pod.
bool pod_is_stuck_terminating(const Pod *pod, int64_t now_ns);
// When that becomes true of a terminating pod; else INT64_MAX.
int64_t pod_stuck_at(const Pod *pod);

// Whether a drain includes the pod: it does not tolerate the disruption, is not stuck, and is no mirror pod.
// Do-not-disrupt pods are included: they are drained in the end.
bool pod_is_drainable(const Pod *pod, const Symbols *symbols, int64_t now_ns);
// Whether a drain waits for the pod: drainable and not terminal.
bool pod_is_waiting_eviction(const Pod *pod, const Symbols *symbols, int64_t now_ns);
