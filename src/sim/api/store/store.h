// The objects of the embedded API server: by key, by uid, by owner, in order, and their recent history.
//
// One counter of revisions for everything, as etcd has it. Each kind has a hash table by key and an order
// (api/store/order.h); across kinds there is one table by uid and one from the uid of an owner to what names it as
// owner. A write makes one Packed version; the entry holds it, and so does the history of its kind, a ring that forgets
// the oldest event when it is full: what lies before `forgotten` cannot be watched or listed any more.
//
// Reading by key or uid O(1); writing O(1) but for creation and removal, which find their place in the order: O(log n).
#pragma once

#include "sim/api/store/order.h"

typedef struct OwnerLink OwnerLink;

// A live object.
struct Entry {
    Entry *next, *next_uid; // in the tables by key and by uid
    Packed *packed;
    OwnerLink *owners; // as many as the object has ownerReferences
    uint64_t key_hash, uid_hash;
    uint8_t kind; // KubeKind
    uint8_t owner_count;
};

// "This object names that uid as an owner." Uids are compared by hash here; who acts on it compares the text.
struct OwnerLink {
    OwnerLink *next, *previous; // in the table by owner
    uint64_t owner_hash;
    Entry *dependent;
};

typedef struct {
    KubeEventType type; // ADDED, MODIFIED, DELETED
    KubeRevision revision;
    Packed *object, *previous; // DELETED: `object` is the last version; ADDED: no previous
} HistoryEvent;

// A ring: the event number n (counted from 0 for ever) lies at n % capacity.
typedef struct {
    HistoryEvent *events;
    uint32_t capacity;
    uint64_t first, end; // numbers of the oldest event kept and of the next to come
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
// The key's namespace: what stands before the slash.
Slice store_key_namespace(Slice key);

Entry *store_find(const Store *store, KubeKind kind, Slice key);
// The live object with that hash of its uid, or NULL.
Entry *store_find_uid(const Store *store, uint64_t uid_hash);
// The first link to that owner; walk with store_next_dependent. The order is that of linking, newest first.
const OwnerLink *store_dependents(const Store *store, uint64_t owner_hash);
const OwnerLink *store_next_dependent(const OwnerLink *link);

// Writes a new version of `entry`, or the first one of a new object (`entry` NULL), at the next revision, and notes the
// event. `object` must not hold a resourceVersion. NULL: nested too deep, nothing was written.
Entry *store_put(Store *store, KubeKind kind, Entry *entry, Slice key, const Value *object);
// Removes the object, at the next revision. The entry is gone afterwards.
void store_remove(Store *store, Entry *entry);

// Event number `number` of a kind; it must be in [first, end).
const HistoryEvent *history_get(const History *history, uint64_t number);
// The number of the first event after `revision`. O(log events).
uint64_t history_seek(const History *history, KubeRevision revision);
// Forgets everything up to `revision` in all kinds, as etcd's compaction does.
void store_forget(Store *store, KubeRevision revision);

// Bytes of objects, entries and history, for measurements. O(n).
size_t store_bytes(const Store *store);
