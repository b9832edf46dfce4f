// Store: the objects of the embedded API server by key, by uid, by owner and in order, and their recent history.
//
// One counter of revisions for everything, as in etcd. Each kind has a hash table by key and an Order
// (api/store/order.h); all kinds share a table by uid and one from an owner's uid to its dependents. A write makes one
// Packed version, which is held by its entry and by the history of its kind. The history is a ring that drops the
// oldest event when it is full: what is before `forgotten` cannot be watched or listed any more.
//
// Reading by key or uid is O(1); writing O(1), but creation and removal, which update the order, O(log n).
#pragma once

#include "sim/api/store/order.h"

typedef struct OwnerLink OwnerLink;

// A live object.
struct Entry {
    Entry *next, *next_uid; // in the hash chains by key and by uid
    Packed *packed;
    OwnerLink *owners; // one per ownerReference of the object
    uint64_t key_hash, uid_hash;
    uint8_t kind; // KubeKind
    uint8_t owner_count;
};

// A reference from a dependent to an owner's uid. Uids are compared by hash here; callers compare the text.
struct OwnerLink {
    OwnerLink *next, *previous; // in the hash chain by owner
    uint64_t owner_hash;
    Entry *dependent;
};

typedef struct {
    KubeEventType type; // ADDED, MODIFIED, DELETED
    KubeRevision revision;
    Packed *object, *previous; // DELETED: `object` is the last version; ADDED: no previous version
} HistoryEvent;

// A ring: the event with number n (counted from 0) is at n % capacity.
typedef struct {
    HistoryEvent *events;
    uint32_t capacity;
    uint64_t first, end; // numbers of the oldest event kept and of the next one
    KubeRevision forgotten;
} History;

typedef struct {
    Entry **buckets;
    uint32_t capacity, count;
    Order order;
    History history;
} KindStore;

typedef struct {
    KubeRevision revision; // latest
    uint32_t history_max;
    Symbols names;
    Buffer buffer;
    KindStore kinds[KUBE_KIND_COUNT];
    Entry **by_uid;
    uint32_t uid_capacity, count; // count: of all kinds
    OwnerLink **by_owner;
    uint32_t owner_capacity, owner_count;
} Store;

void store_init(Store *store, KubeRevision revision, uint32_t history_max);
void store_free(Store *store);

static inline Slice entry_key(const Entry *entry) {
    return packed_key(entry->packed);
}

// "namespace/name", or the name alone.
Slice store_key(Arena *arena, Slice ns, Slice name);
// The key's namespace: the part before the slash.
Slice store_key_namespace(Slice key);

Entry *store_find(const Store *store, KubeKind kind, Slice key);
// The live object with that hash of its uid, or NULL.
Entry *store_find_uid(const Store *store, uint64_t uid_hash);
// The first dependent of that owner; walk with store_next_dependent. Newest reference first.
const OwnerLink *store_dependents(const Store *store, uint64_t owner_hash);
const OwnerLink *store_next_dependent(const OwnerLink *link);

// Writes a new version of `entry`, or the first one of a new object (`entry` NULL), at the next revision, and adds the
// event. `object` must not have a resourceVersion. NULL: nested too deep, nothing was written.
Entry *store_put(Store *store, KubeKind kind, Entry *entry, Slice key, const Value *object);
// Removes the object, at the next revision; frees the entry.
void store_remove(Store *store, Entry *entry);

// Event number `number` of a kind; it must be in [first, end).
const HistoryEvent *history_get(const History *history, uint64_t number);
// The number of the first event after `revision`. O(log events).
uint64_t history_seek(const History *history, KubeRevision revision);
// Drops everything up to `revision` in all kinds, as etcd's compaction does.
void store_forget(Store *store, KubeRevision revision);

// Bytes of objects, entries and history, for measurements. O(n).
size_t store_bytes(const Store *store);
