// Order of a drain: which pods of a terminating Node are to be evicted next. Behaviour: reference lifecycle.md 3.3.
//
// Pods that the drain waits for (pod_is_waiting_eviction) form two sets. The force set: the termination deadline leaves
// the pod no more than its own grace period; the pod is deleted at once. All others are evicted in four tiers, each of
// which begins when the one before it is gone:
//   1 neither critical nor of a DaemonSet   2 of a DaemonSet   3 critical   4 critical and of a DaemonSet
//
// The functions are pure over the State: node.termination and eviction-queue both call them, and need not exchange
// state.
#pragma once

#include "model/pod_predicates.h"
#include "state/state.h"

enum { NODE_DRAIN_TIERS = 4 };

typedef struct {
    uint32_t waiting; // pods that the drain waits for
    HandleVec chosen; // pods that the eviction queue can act on now: forced ones first, then those of the tier, each in
                      // the order of the State
    uint32_t forced;  // number of forced pods among them
    uint32_t tier;    // the tier that is being evicted; NODE_DRAIN_TIERS: none
    int64_t next_ns;  // when the answer changes by the passing of time alone; INT64_MAX: never
} NodeDrain;

// State of the node's drain. deadline_ns INT64_MAX: no deadline. O(pods on the node).
NodeDrain node_drain_look(Arena *arena, const State *state, const Node *node, int64_t deadline_ns, int64_t now_ns);

// Whether the pod is among the chosen ones. O(1) for the first tier, else O(pods on the node).
bool node_drain_chooses(const State *state, const Node *node, const Pod *pod, int64_t deadline_ns, int64_t now_ns);

// Tier of a pod, 0 to 3 in the order above.
uint32_t node_drain_tier(const Pod *pod, const Symbols *symbols);

// Whether the pod is in the force set: not terminating and later than (deadline - own grace period), or terminating
// with an end after the deadline.
bool pod_is_forced(const Pod *pod, int64_t deadline_ns, int64_t now_ns);
// The last moment at which a pod that is not terminating is not yet in the force set. INT64_MAX: no deadline.
int64_t pod_forced_after(const Pod *pod, int64_t deadline_ns);
// The grace period of a forced deletion: the time until the deadline, at least one second.
int64_t pod_forced_grace_s(int64_t deadline_ns, int64_t now_ns);
