// Internals of the State. Private to src/state.
#pragma once

#include "state/orders.h"
#include "state/usage.h"

// Tombstone: a removed object, so that an older event does not add it again.
typedef struct {
    Symbol uid; // held; NAME_EMPTY: forgotten
    KubeRevision revision;
} Tombstone;

enum { TOMBSTONES_MAX = 1 << 16 };

// What only this process knows of a node.
typedef struct {
    Mono nominated_until, settles_until;
    NodeOutlook outlook;
} NodeMemo;

struct State {
    Shared *shared;
    Slots slots[KUBE_KIND_COUNT];
    Index index;

    Tombstone *tombstones; // ring, oldest first; NULL: none yet
    uint32_t tombstone_at, tombstone_count;
    Table buried; // uid to position in the ring

    // By slot number of claims and of nodes.
    Tallies tallies[TALLIES_COUNT];
    uint8_t *marks; // claims: 1: marked for deletion
    uint32_t mark_capacity, marked;
    NodeMemo *node_memos;
    uint32_t node_memo_capacity;
    bool has_looked_ahead;
    Orders orders;

    Object *parting; // the version before the last change, for its StateChange.before
    Symbol managed_labels[2];
    Arena scratch;
};

static inline IndexWriter state_writer(State *state) {
    return (IndexWriter){&state->index, state->slots};
}

// machines.c: matches claims and nodes with the same provider id and updates their pools' usage. To be called for a
// slot that was changed (its object may be NULL now), with its former provider id.
void machines_refresh(State *state, KubeKind kind, uint32_t slot, Symbol provider_before);
