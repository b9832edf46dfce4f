// Sums over what is on nodes and in pools, kept up with each change.
#pragma once

#include "state/index.h"

// The requests of a pod on its node, added or taken away. Call before index_update takes the pod out of the node's
// bucket, or after it put it there.
void usage_add_pod(Index *index, const Object *pod);
void usage_remove_pod(const IndexWriter *writer, const Object *pod);
// Whether an event changed nothing that the sums are made of.
bool usage_is_same(const Object *before, const Object *after);

// What a claim or a node counts as in the sums of its pool. On the heap.
typedef struct {
    bool counts, is_deleting;
    uint32_t bucket; // of the pool
    Resources capacity;
} Tally;

// One for each slot of a kind.
typedef struct {
    Tally *items;
    uint32_t capacity;
} Tallies;

// Of claims and of nodes.
enum { TALLIES_CLAIMS, TALLIES_NODES, TALLIES_COUNT };

void tallies_free(Tallies *tallies);
size_t tallies_bytes(const Tallies *tallies);
// What counts in a pool now.
typedef struct {
    Symbol pool; // INDEX_NONE: it does not count anywhere
    bool is_deleting;
    Resources capacity; // in any memory
} Count;
// Puts `count` in the place of what was there. `all` are all tallies that sums are made of. O(resources); after an
// overflow O(slots).
void tally_set(Index *index, Tally *tally, const Count *count, const Tallies *all);
