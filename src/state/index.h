// Handles by what their objects name: pods of a node, claims of a pool, and so on, with the sums over them.
//
// A bucket stands for one key of one index (a node name, a pool); it is made with its first member and goes with its
// last. Members leave in O(1): the last one takes their place, and objects know where they stand (Link). Only the
// pending pods keep their order: holes stay behind and are closed when somebody looks.
#pragma once

#include "state/slots.h"

// X(NAME, index, lane): the lists that a kind's handles stand in.
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
    bool saturated;   // a sum was cut at INT64_MAX: it is made anew when something leaves
    uint32_t tallies; // objects that count in `pool`
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
// The bucket, made when there is none.
uint32_t index_get(Index *index, IndexKind kind, Symbol key);
// Lets the bucket go if nothing is in it.
void index_tidy(Index *index, uint32_t bucket);

// The slots of all kinds go with the index, so that a member that moves can be told.
typedef struct {
    Index *index;
    Slots *slots; // by KubeKind
} IndexWriter;

// Puts the handle into the lists that `after` names (NULL: none) and takes it out of those that only `before` names
// (NULL: none). To be called while `before` is still in its slot.
void index_update(const IndexWriter *writer, Handle handle, Object *before, Object *after);

// The pending pods without holes.
const HandleVec *index_pending(const Index *index, const Slots *pods);
