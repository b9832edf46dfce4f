// Which pods of a node that ends go next. Reference lifecycle.md 3.3.
//
// Waiting pods (pod_is_waiting_eviction) fall into two sets. The force set: the deadline of the node leaves a pod no
// more than its own grace period; it goes at once, by deletion. All others go in four tiers, by eviction, and a tier
// begins when the one before is gone:
//   1 neither critical nor of a DaemonSet   2 of a DaemonSet   3 critical   4 critical and of a DaemonSet
//
// Pure facts of the State: the controller that drains and the queue that evicts ask the same questions and need tell
// each other nothing.
#pragma once

#include "model/pod_predicates.h"
#include "state/state.h"

enum { NODE_DRAIN_TIERS = 4 };

typedef struct {
    uint32_t waiting; // pods that the drain waits for
    HandleVec chosen; // those that the eviction queue can do something about now: forced ones, then the tier's, each in
                      // the order of the State
    uint32_t forced;  // how many of the chosen are
    uint32_t tier;    // whose turn it is; NODE_DRAIN_TIERS: of none
    int64_t next_ns;  // when time alone, without any event, makes this another answer; INT64_MAX: never
} NodeDrain;

// deadline_ns INT64_MAX: none. O(pods on the node).
NodeDrain node_drain_look(Arena *arena, const State *state, const Node *node, int64_t deadline_ns, int64_t now_ns);

// Whether one pod of the node is among the chosen. O(1) for the first tier, else O(pods on the node).
bool node_drain_chooses(const State *state, const Node *node, const Pod *pod, int64_t deadline_ns, int64_t now_ns);

// 0 … 3, as listed above.
uint32_t node_drain_tier(const Pod *pod, const Symbols *symbols);

// In the force set: not terminating and past (deadline - its own grace period), or terminating until after the
// deadline.
bool pod_is_forced(const Pod *pod, int64_t deadline_ns, int64_t now_ns);
// The last moment at which a pod that is not terminating is not forced yet. INT64_MAX: no deadline.
int64_t pod_forced_after(const Pod *pod, int64_t deadline_ns);
// The grace period that a forced deletion gives: what is left until the deadline, at least a second.
int64_t pod_forced_grace_s(int64_t deadline_ns, int64_t now_ns);
