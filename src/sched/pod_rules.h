// What a pod's state means for planning: reference lifecycle.md 0.5 and scheduling.md 4.1.
#pragma once

#include "model/objects.h"

// Neither terminal nor terminating.
bool pod_is_active(const Pod *pod);
// Owned by a DaemonSet, which places its pods itself.
bool pod_is_daemon(const Pod *pod, const Symbols *symbols);
// Owned by a Node: a static pod of a kubelet.
bool pod_is_mirror(const Pod *pod, const Symbols *symbols);

// Waits for a node: unbound, not gated, not nominated to a node, not terminal, no daemon or mirror pod.
// A terminating pod that waits still counts.
bool pod_is_pending(const Pod *pod, const Symbols *symbols);

// The node that a pod is on or nominated for: kube-scheduler holds its place there while victims leave or volumes are
// made (KEP-5278). NAME_EMPTY: none, or the pod is over.
Symbol pod_node(const Pod *pod);

// Comes back on another node when its own goes: active, or terminating and of a StatefulSet.
bool pod_is_reschedulable(const Pod *pod, const Symbols *symbols);

// The annotation karpenter.sh/do-not-disrupt is "true" or a positive duration that has not passed since the pod
// started (a pod without a start time has not). Anything else does not count.
bool pod_is_do_not_disrupt(const Pod *pod, const Symbols *symbols, int64_t now_ns);

// Whether the eviction API would be asked: active, no mirror pod, does not tolerate karpenter.sh/disrupted:NoSchedule,
// not do-not-disrupt.
bool pod_is_evictable(const Pod *pod, const Symbols *symbols, int64_t now_ns);

// Reschedulable, and nothing keeps it where it is now: neither do-not-disrupt nor a disruption budget that blocks
// fully. O(budgets).
bool pod_is_currently_reschedulable(const Pod *pod, const Cluster *cluster, int64_t now_ns);
