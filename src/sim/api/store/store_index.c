// The store's hash tables: by key, by uid, and from owners to their dependents.
#include "sim/api/store/store_index.h"

#include "base/alloc.h"

enum { FIRST_CAPACITY = 64, OWNERS_MAX = UINT8_MAX };

// By key.

static void grow_keys(KindStore *kind) {
    uint32_t capacity = kind->capacity ? kind->capacity * 2 : FIRST_CAPACITY;
    Entry **buckets = NEW_ARRAY(Entry *, capacity);

    for (uint32_t i = 0; i < kind->capacity; i++) {
        for (Entry *entry = kind->buckets[i], *next; entry; entry = next) {
            next = entry->next;
            entry->next = buckets[entry->key_hash & (capacity - 1)];
            buckets[entry->key_hash & (capacity - 1)] = entry;
        }
    }
    free(kind->buckets);
    kind->buckets = buckets;
    kind->capacity = capacity;
}

void store_link_key(KindStore *kind, Entry *entry) {
    Entry **bucket;

    if (kind->count == kind->capacity)
        grow_keys(kind);
    entry->key_hash = slice_hash(entry_key(entry));
    bucket = &kind->buckets[entry->key_hash & (kind->capacity - 1)];
    entry->next = *bucket;
    *bucket = entry;
    kind->count++;
}

void store_unlink_key(KindStore *kind, Entry *entry) {
    Entry **link = &kind->buckets[entry->key_hash & (kind->capacity - 1)];

    while (*link != entry)
        link = &(*link)->next;
    *link = entry->next;
    kind->count--;
}

Entry *store_find(const Store *store, KubeKind kind, Slice key) {
    const KindStore *of_kind = &store->kinds[kind];
    uint64_t hash = slice_hash(key);
    Entry *entry = of_kind->capacity ? of_kind->buckets[hash & (of_kind->capacity - 1)] : NULL;

    while (entry && (entry->key_hash != hash || !slice_eq(entry_key(entry), key)))
        entry = entry->next;
    return entry;
}

// By uid.

static void grow_uids(Store *store) {
    uint32_t capacity = store->uid_capacity ? store->uid_capacity * 2 : FIRST_CAPACITY;
    Entry **buckets = NEW_ARRAY(Entry *, capacity);

    for (uint32_t i = 0; i < store->uid_capacity; i++) {
        for (Entry *entry = store->by_uid[i], *next; entry; entry = next) {
            next = entry->next_uid;
            entry->next_uid = buckets[entry->uid_hash & (capacity - 1)];
            buckets[entry->uid_hash & (capacity - 1)] = entry;
        }
    }
    free(store->by_uid);
    store->by_uid = buckets;
    store->uid_capacity = capacity;
}

void store_link_uid(Store *store, Entry *entry) {
    Entry **bucket;

    if (store->count == store->uid_capacity)
        grow_uids(store);
    bucket = &store->by_uid[entry->uid_hash & (store->uid_capacity - 1)];
    entry->next_uid = *bucket;
    *bucket = entry;
    store->count++;
}

void store_unlink_uid(Store *store, Entry *entry) {
    Entry **link = &store->by_uid[entry->uid_hash & (store->uid_capacity - 1)];

    while (*link != entry)
        link = &(*link)->next_uid;
    *link = entry->next_uid;
    store->count--;
}

Entry *store_find_uid(const Store *store, uint64_t uid_hash) {
    Entry *entry = store->uid_capacity ? store->by_uid[uid_hash & (store->uid_capacity - 1)] : NULL;

    while (entry && entry->uid_hash != uid_hash)
        entry = entry->next_uid;
    return entry;
}

// By owner.

static OwnerLink **owner_bucket(const Store *store, uint64_t owner_hash) {
    return &store->by_owner[owner_hash & (store->owner_capacity - 1)];
}

static void push_link(OwnerLink **bucket, OwnerLink *link) {
    link->previous = NULL;
    link->next = *bucket;
    if (link->next)
        link->next->previous = link;
    *bucket = link;
}

// Grows the table; chains are kept in their order, newest first.
static void grow_owners(Store *store) {
    uint32_t old_capacity = store->owner_capacity;
    OwnerLink **old = store->by_owner;

    store->owner_capacity = old_capacity ? old_capacity * 2 : FIRST_CAPACITY;
    store->by_owner = NEW_ARRAY(OwnerLink *, store->owner_capacity);
    for (uint32_t i = 0; i < old_capacity; i++) {
        OwnerLink *last = old[i];

        while (last && last->next)
            last = last->next;
        for (OwnerLink *link = last, *previous; link; link = previous) {
            previous = link->previous;
            push_link(owner_bucket(store, link->owner_hash), link);
        }
    }
    free(old);
}

static bool same_owners(const Entry *entry, const Value *references) {
    uint32_t count = references ? references->list.count : 0;

    if (count != entry->owner_count)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (entry->owners[i].owner_hash != slice_hash(kube_text(&references->list.items[i], "uid", NULL)))
            return false;
    }
    return true;
}

void store_unlink_owners(Store *store, Entry *entry) {
    for (uint32_t i = 0; i < entry->owner_count; i++) {
        OwnerLink *link = &entry->owners[i];

        if (link->previous)
            link->previous->next = link->next;
        else
            *owner_bucket(store, link->owner_hash) = link->next;
        if (link->next)
            link->next->previous = link->previous;
    }
    store->owner_count -= entry->owner_count;
    entry->owner_count = 0;
    free(entry->owners);
    entry->owners = NULL;
}

void store_link_owners(Store *store, Entry *entry, const Value *object) {
    const Value *references = value_at(object, "metadata", "ownerReferences", NULL);

    if (references && (references->kind != VALUE_LIST || references->list.count == 0))
        references = NULL;
    if (same_owners(entry, references))
        return;
    store_unlink_owners(store, entry);
    if (!references)
        return;
    CHECK(references->list.count <= OWNERS_MAX, "%u owners", references->list.count);
    entry->owner_count = (uint8_t)references->list.count;
    entry->owners = NEW_ARRAY(OwnerLink, entry->owner_count);
    for (uint32_t i = 0; i < entry->owner_count; i++) {
        OwnerLink *link = &entry->owners[i];

        if (store->owner_count == store->owner_capacity)
            grow_owners(store);
        link->owner_hash = slice_hash(kube_text(&references->list.items[i], "uid", NULL));
        link->dependent = entry;
        push_link(owner_bucket(store, link->owner_hash), link);
        store->owner_count++;
    }
}

const OwnerLink *store_dependents(const Store *store, uint64_t owner_hash) {
    const OwnerLink *link = store->owner_capacity ? *owner_bucket(store, owner_hash) : NULL;

    while (link && link->owner_hash != owner_hash)
        link = link->next;
    return link;
}

const OwnerLink *store_next_dependent(const OwnerLink *link) {
    uint64_t owner_hash = link->owner_hash;

    do {
        link = link->next;
    } while (link && link->owner_hash != owner_hash);
    return link;
}
