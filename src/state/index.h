// Index: handles of objects by what the objects refer to (pods of a node, NodeClaims of a pool, …), with sums over
// them.
//
// A bucket holds the members of one key of one index (a node name, a pool); it is created with its first member and
// freed with its last. Removal is O(1): the last member moves into the gap, and each object knows its positions (Link).
// Only the pending pods keep their order: removal leaves holes, which the next read closes.
#pragma once

#include "state/slots.h"

// The indexes, and which lane of a bucket a kind's handles are in.
typedef enum {
    INDEX_PENDING,   // one bucket; lane 0: pods
    INDEX_NODE_NAME, // lanes: pods, volume attachments
    INDEX_OWNER,     // lane: pods
    INDEX_PROVIDER,  // lanes: nodes, claims
    INDEX_POOL,      // lanes: nodes, claims
    INDEX_NAMESPACE, // lanes: budgets, volume claims
    INDEX_COUNT
} IndexKind;

typedef struct {
    Symbol key;
    uint32_t kind; // IndexKind
    uint32_t holes;
    HandleVec lanes[2]; // on the heap
    union {
        NodeUsage usage; // INDEX_NODE_NAME
        PoolUsage pool;  // INDEX_POOL
    };
    bool saturated;   // a sum was cut at INT64_MAX: recomputed when a member is removed
    uint32_t tallies; // claims and nodes that count in `pool`
} Bucket;

typedef struct {
    Bucket *buckets; // [0]: the pending pods
    uint32_t count, capacity;
    U32Vec free; // on the heap
    Table keys;  // index kind and key to bucket
} Index;

void index_init(Index *index);
void index_free(Index *index);
size_t index_bytes(const Index *index);

// The bucket, or NULL. O(1).
Bucket *index_find(const Index *index, IndexKind kind, Symbol key);
// The bucket; created when there is none.
uint32_t index_get(Index *index, IndexKind kind, Symbol key);
// Frees the bucket if it has no members.
void index_tidy(Index *index, uint32_t bucket);

// The index together with the slots of all kinds, because moving a member changes the Links of its object.
typedef struct {
    Index *index;
    Slots *slots; // by KubeKind
} IndexWriter;

// Adds the handle to the buckets that `after` (NULL: none) belongs to and removes it from those that only `before`
// (NULL: none) belonged to. To be called while `before` is still in its slot.
void index_update(const IndexWriter *writer, Handle handle, Object *before, Object *after);

// The pending pods; closes the holes.
const HandleVec *index_pending(const Index *index, const Slots *pods);
