// Usage of nodes and pools: sums that each change of an object updates.
#pragma once

#include "state/index.h"

// Adds a pod's requests to its node's usage, or subtracts them. To be called before index_update removes the pod from
// the node's bucket, or after it added it.
void usage_add_pod(Index *index, const Object *pod);
void usage_remove_pod(const IndexWriter *writer, const Object *pod);
// Whether an event changed nothing that the sums depend on.
bool usage_is_same(const Object *before, const Object *after);

// What a claim or a node contributes to the usage of its pool. On the heap.
typedef struct {
    bool counts, is_deleting;
    uint32_t bucket; // of the pool
    Resources capacity;
} Tally;

// Tallies of one kind, by slot.
typedef struct {
    Tally *items;
    uint32_t capacity;
} Tallies;

// Kinds that have tallies.
enum { TALLIES_CLAIMS, TALLIES_NODES, TALLIES_COUNT };

void tallies_free(Tallies *tallies);
size_t tallies_bytes(const Tallies *tallies);
// The contribution of a claim or node as it should be now.
typedef struct {
    Symbol pool; // INDEX_NONE: it does not count
    bool is_deleting;
    Resources capacity; // in memory of the caller
} Count;
// Replaces a contribution by `count`. `all` are all tallies that the sums are made of. O(resources); O(slots) when a
// sum had overflowed.
void tally_set(Index *index, Tally *tally, const Count *count, const Tallies *all);
