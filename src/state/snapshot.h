// Internals of a snapshot. Private to src/state.
#pragma once

#include "state/store.h"

// Holds the symbols that are interned through one cluster made from a snapshot.
typedef struct ClusterNames ClusterNames;
struct ClusterNames {
    SymbolHolder holder;
    ClusterNames *next;
};

struct Snapshot {
    Shared *shared;
    Chunks chunks[KUBE_KIND_COUNT];
    uint32_t counts[KUBE_KIND_COUNT]; // objects
    uint32_t *marks;                  // slots of claims that are marked for deletion, ascending
    uint32_t mark_count;
    ClusterNames *names; // atomic: list for all clusters that were made from it
};
