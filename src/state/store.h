// The State's own make-up. Private to src/state.
#pragma once

#include "state/usage.h"

// A pod, claim, … that was removed: it does not come back by an older event.
typedef struct {
    Symbol uid; // held; NAME_EMPTY: forgotten
    KubeRevision revision;
} Tombstone;

enum { TOMBSTONES_MAX = 1 << 16 };

struct State {
    Shared *shared;
    Slots slots[KUBE_KIND_COUNT];
    Index index;

    Tombstone *tombstones; // ring, oldest first; NULL: none yet
    uint32_t tombstone_at, tombstone_count;
    Table buried; // uid to place in the ring

    // By slots of claims and nodes.
    Tallies tallies[TALLIES_COUNT];
    uint8_t *marks; // claims: 1: marked for deletion
    uint32_t mark_capacity, marked;
    Mono *nominations; // nodes: until when
    uint32_t nomination_capacity;

    Object *parting; // the version before the last change, for its StateChange
    Symbol managed_labels[2];
    Arena scratch;
};

static inline IndexWriter state_writer(State *state) {
    return (IndexWriter){&state->index, state->slots};
}

// machines.c: the claim and the node that are one machine, and what they count as in their pool. Called for a slot that
// was changed (its object may be NULL now), and with the provider id that it had before.
void machines_refresh(State *state, KubeKind kind, uint32_t slot, Symbol provider_before);
