// A snapshot's own make-up. Private to src/state.
#pragma once

#include "state/store.h"

struct Snapshot {
    Shared *shared;
    Chunks chunks[KUBE_KIND_COUNT];
    uint32_t counts[KUBE_KIND_COUNT]; // objects
    uint32_t *marks;                  // slots of claims that are marked for deletion, ascending
    uint32_t mark_count;
    SymbolHolder holder; // what is interned while the cluster is worked on
};
