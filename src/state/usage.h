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

void tally_free(Tally *tally);
// Puts `now` (with items in any memory) in the place of what was there.
void tally_set(Index *index, Tally *tally, bool counts, Symbol pool, bool is_deleting, const Resources *capacity);
