// Internals of the eviction queue: its entries and the parts of its implementation. Private to node/eviction_queue.c,
// node/eviction_wait.c, node/eviction_order.c, node/eviction_surge.c and node/eviction_events.c. Behaviour: reference
// lifecycle.md 3.4.
#pragma once

#include "ctl/common/notes.h"
#include "ctl/ctl.h"

typedef enum {
    EVICTION_WAITS_FOR_NOTHING,
    EVICTION_WAITS_FOR_BUDGET,         // a budget refused the eviction
    EVICTION_WAITS_FOR_ANSWER,         // a budget refused, has room again, and the pod tries again
    EVICTION_WAITS_FOR_DO_NOT_DISRUPT, // do-not-disrupt protects the pod
} EvictionWait;

// How far the surge of a pod is (node/eviction_surge.c).
typedef enum {
    SURGE_UNKNOWN, // the Deployment was not read
    SURGE_FOUND,   // it can start another pod
    SURGE_STARTED, // it does
    SURGE_OVER,    // the pod is evicted like others
} EvictionSurge;

// Entry of a pod in the queue.
typedef struct {
    Key pod;
    Symbol uid, node;
    int64_t deadline_ns; // wall time, the earliest deadline that was seen; INT64_MAX: none
    Mono not_before;     // back-off: no request before then unless the pod is forced
    uint32_t attempts;   // requests without success
    int64_t granted_s;   // grace period of the deletion under way
    int32_t own_grace_s; // the pod's terminationGracePeriodSeconds
    bool busy;           // a request is under way
    EvictionWait wait;
    EvictionSurge surge;
    KubeRevision surge_revision; // of FOUND: of the Deployment that was read
    Mono surge_until;            // when the eviction goes on at the latest
    Key line;                    // of FOR_BUDGET and FOR_ANSWER: the line it waits in (node/eviction_wait.c); {0}: none
    Key next, previous;          // of FOR_BUDGET: neighbours in the line
} EvictionEntry;

// The waiting line of a budget: pods whose eviction it refused (node/eviction_wait.c).
typedef struct {
    Key budget;
    Key first, last; // {0}: the line is empty
    uint32_t trying;
} EvictionLine;

// Which sizes of pods may leave many nodes at present (node/eviction_order.c).
typedef struct {
    uint32_t open; // all sizes up to this one, 0 the largest
    Mono since;    // when it was opened
    Mono looked;   // when it was last looked whether the next one can be
    Mono asked;    // when a pod last asked
} EvictionOrder;

typedef struct {
    NoteTable entries; // of EvictionEntry
    NoteTable lines;   // of EvictionLine
    Mono spent;        // rate limit of retries: when the last one that was granted may be sent
    EvictionOrder order;
} EvictionMemory;

// --- waiting for a budget (node/eviction_wait.c)

// Puts a pod that was refused into the line of its budget: at the place it has, or at the end. O(budgets of the
// namespace).
void eviction_wait_join(EvictionMemory *memory, const Turn *turn, EvictionEntry *entry);
// Takes the pod out of the line it is in, if any, and ends its wait. O(1).
void eviction_wait_leave(EvictionMemory *memory, EvictionEntry *entry);
// Handles a change of a PodDisruptionBudget: one that has room again lets as many pods try as it has room for, less
// those that are trying; one that was deleted, or whose spec changed, lets all try. O(pods that may try).
void eviction_wait_observe(EvictionMemory *memory, Turn *turn, const StateChange *change);

// --- order (node/eviction_order.c)

// Whether the pod is to leave the node now, or is to ask again in EVICTION_ORDER_ASK_S. O(requests); once a second
// O(nodes + pods of those that commands empty).
bool eviction_order_allows(EvictionOrder *order, const Turn *turn, const Node *node, const Pod *pod);
enum { EVICTION_ORDER_ASK_S = 1 };

// --- surge (node/eviction_surge.c)

// Whether the eviction waits for another pod that the pod's Deployment starts. If so the next step was intended, or the
// pod's next visit was asked for.
bool eviction_surge_holds(Turn *turn, EvictionEntry *entry, const Pod *pod);
// Takes the answer to such a step; false: the call failed, and is to be tried again.
bool eviction_surge_take(Turn *turn, EvictionEntry *entry, const Completion *completion);

// --- events and log lines (node/eviction_events.c)

// Publishes what became of the annotation do-not-disrupt on the pod.
void eviction_say_do_not_disrupt(Turn *turn, const Pod *pod);
// Publishes that the pod is evicted (INTENT_EVICT) or deleted (INTENT_REMOVE). `node` may be NULL.
void eviction_say_gone(Turn *turn, const EvictionEntry *entry, const Node *node, IntentType how);
// Publishes that a budget refused the eviction, or that several budgets cover the pod.
void eviction_say_refused(Turn *turn, const EvictionEntry *entry, const Node *node, bool several);
// Publishes that the pod's Deployment starts another pod, or why the pod is evicted without one.
void eviction_say_surge(Turn *turn, const EvictionEntry *entry);
void eviction_say_no_surge(Turn *turn, const EvictionEntry *entry, Slice why);
// Logs a forced deletion.
void eviction_log_deletion(Turn *turn, const EvictionEntry *entry);
