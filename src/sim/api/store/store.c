// Writing objects: revision, version, indexes, history.
#include "base/alloc.h"
#include "sim/api/store/history.h"
#include "sim/api/store/store_index.h"

void store_init(Store *store, KubeRevision revision, uint32_t history_max) {
    CHECK(history_max > 0, "a history of no events");
    *store = (Store){.revision = revision, .history_max = history_max};
    symbols_init(&store->names);
    for (unsigned kind = 0; kind < KUBE_KIND_COUNT; kind++)
        store->kinds[kind].history.forgotten = revision;
}

static void entry_free(Entry *entry) {
    packed_release(entry->packed);
    free(entry->owners);
    free(entry);
}

void store_free(Store *store) {
    for (unsigned i = 0; i < KUBE_KIND_COUNT; i++) {
        KindStore *kind = &store->kinds[i];

        for (uint32_t bucket = 0; bucket < kind->capacity; bucket++) {
            for (Entry *entry = kind->buckets[bucket], *next; entry; entry = next) {
                next = entry->next;
                entry_free(entry);
            }
        }
        free(kind->buckets);
        order_free(&kind->order);
        history_free(&kind->history);
    }
    free(store->by_uid);
    free(store->by_owner);
    buffer_free(&store->buffer);
    symbols_free(&store->names);
    *store = (Store){0};
}

Slice store_key(Arena *arena, Slice ns, Slice name) {
    char *key;

    if (!ns.len)
        return name;
    key = arena_alloc_raw(arena, ns.len + 1 + name.len);
    memcpy(key, ns.ptr, ns.len);
    key[ns.len] = '/';
    if (name.len)
        memcpy(key + ns.len + 1, name.ptr, name.len);
    return (Slice){key, ns.len + 1 + name.len};
}

Slice store_key_namespace(Slice key) {
    ptrdiff_t slash = slice_find(key, '/');

    return slash < 0 ? SLICE("") : slice_first(key, (size_t)slash);
}

static Entry *add(Store *store, KubeKind kind, Packed *packed, const Value *object) {
    Entry *entry = NEW(Entry);

    entry->kind = (uint8_t)kind;
    entry->packed = packed;
    entry->uid_hash = slice_hash(kube_uid(object));
    store_link_key(&store->kinds[kind], entry);
    store_link_uid(store, entry);
    order_add(&store->kinds[kind].order, entry);
    return entry;
}

Entry *store_put(Store *store, KubeKind kind, Entry *entry, Slice key, const Value *object) {
    Packed *packed = packed_new(&store->names, &store->buffer, key, object), *previous = NULL;

    if (!packed)
        return NULL;
    packed->revision = ++store->revision;
    if (entry) {
        previous = entry->packed;
        entry->packed = packed;
    } else {
        entry = add(store, kind, packed, object);
    }
    store_link_owners(store, entry, object);
    history_add(&store->kinds[kind].history, store->history_max,
                (HistoryEvent){previous ? KUBE_MODIFIED : KUBE_ADDED, packed->revision, packed, previous});
    packed_release(previous);
    return entry;
}

void store_remove(Store *store, Entry *entry) {
    KindStore *kind = &store->kinds[entry->kind];

    history_add(&kind->history, store->history_max,
                (HistoryEvent){KUBE_DELETED, ++store->revision, entry->packed, entry->packed});
    order_remove(&kind->order, entry);
    store_unlink_key(kind, entry);
    store_unlink_uid(store, entry);
    store_unlink_owners(store, entry);
    entry_free(entry);
}

void store_forget(Store *store, KubeRevision revision) {
    for (unsigned kind = 0; kind < KUBE_KIND_COUNT; kind++)
        history_forget(&store->kinds[kind].history, revision);
}

static size_t packed_bytes(const Packed *packed) {
    return packed ? (sizeof *packed + packed->key_bytes + packed->bytes) : 0;
}

// Versions that only the history holds are counted once: an event's object is the next event's previous one.
size_t store_bytes(const Store *store) {
    size_t bytes = symbols_bytes(&store->names) + store->buffer.capacity +
                   (store->uid_capacity + store->owner_capacity) * sizeof(void *) +
                   store->owner_count * sizeof(OwnerLink);

    for (unsigned i = 0; i < KUBE_KIND_COUNT; i++) {
        const KindStore *kind = &store->kinds[i];

        bytes += kind->capacity * sizeof(void *) + kind->order.capacity * sizeof(void *) +
                 kind->order.count * sizeof(OrderBlock) + history_bytes(&kind->history);
        for (OrderPlace place = {0}; order_get(&kind->order, place); place = order_next(&kind->order, place))
            bytes += sizeof(Entry) + packed_bytes(order_get(&kind->order, place)->packed);
        for (uint64_t number = kind->history.first; number < kind->history.end; number++)
            bytes += packed_bytes(history_get(&kind->history, number)->previous);
    }
    return bytes;
}
