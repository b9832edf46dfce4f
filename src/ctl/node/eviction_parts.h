// The inside of the eviction queue: what it remembers, and its parts. Private to node/eviction_queue.c,
// node/eviction_wait.c and node/eviction_events.c. Reference lifecycle.md 3.4.
#pragma once

#include "ctl/common/notes.h"
#include "ctl/ctl.h"

typedef enum {
    EVICTION_WAITS_FOR_NOTHING,
    EVICTION_WAITS_FOR_BUDGET,         // was refused
    EVICTION_WAITS_FOR_ANSWER,         // was refused, and tries again because there is room
    EVICTION_WAITS_FOR_DO_NOT_DISRUPT, // is held
} EvictionWait;

// A pod in the queue.
typedef struct {
    Key pod;
    Symbol uid, node;
    int64_t deadline_ns; // wall time, the earliest that was seen; INT64_MAX: none
    Mono not_before;     // waits until then, unless it is forced
    uint32_t attempts;   // without success
    int64_t granted_s;   // by the deletion under way
    int32_t own_grace_s; // the pod's terminationGracePeriodSeconds
    bool busy;           // asked of the API server, not answered yet
    EvictionWait wait;
    Key line;           // of FOR_BUDGET and FOR_ANSWER: whose line (node/eviction_wait.c); {0}: nobody's
    Key next, previous; // of FOR_BUDGET: neighbours in the line
} EvictionEntry;

// The pods that a budget refused (node/eviction_wait.c).
typedef struct {
    Key budget;
    Key first, last; // {0}: nobody waits
    uint32_t trying;
} EvictionLine;

typedef struct {
    NoteTable entries; // of EvictionEntry
    NoteTable lines;   // of EvictionLine
    Mono spent;        // when the last repetition that was granted may go
} EvictionMemory;

// --- waiting in line for a budget (node/eviction_wait.c)

// The pod was refused: it stands in the line of its budget, at the place it has or at the end. O(budgets of the
// namespace).
void eviction_wait_join(EvictionMemory *memory, const Turn *turn, EvictionEntry *entry);
// Out of the line, if it is in one; waits for nothing any more. O(1).
void eviction_wait_leave(EvictionMemory *memory, EvictionEntry *entry);
// A budget that has room again lets as many try as it has room for, those that try already included; one that is gone
// or was written anew, all. O(pods that are let).
void eviction_wait_observe(EvictionMemory *memory, Turn *turn, const StateChange *change);

// --- what is said (node/eviction_events.c)

// What became of the annotation do-not-disrupt, for whoever looks at the pod.
void eviction_say_do_not_disrupt(Turn *turn, const Pod *pod);
// The pod is on its way: by INTENT_EVICT or INTENT_REMOVE. `node` may be NULL.
void eviction_say_gone(Turn *turn, const EvictionEntry *entry, const Node *node, IntentType how);
// One budget (or several) is in the way.
void eviction_say_refused(Turn *turn, const EvictionEntry *entry, const Node *node, bool several);
// That the pod is deleted by force.
void eviction_log_deletion(Turn *turn, const EvictionEntry *entry);
