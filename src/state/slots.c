// Slots in chunks with copy-on-write.
#include "state/slots.h"

#include "base/alloc.h"

static uint64_t name_key(Symbol ns, Symbol name) {
    return (uint64_t)ns << 32 | name;
}

uint32_t slots_find(const Slots *slots, Symbol ns, Symbol name) {
    return table_get(&slots->by_name, name_key(ns, name));
}

uint32_t slots_find_uid(const Slots *slots, Symbol uid) {
    return uid == NAME_EMPTY ? INDEX_NONE : table_get(&slots->by_uid, uid);
}

static void chunk_release(Chunk *chunk) {
    if (__atomic_sub_fetch(&chunk->users, 1, __ATOMIC_ACQ_REL))
        return;
    for (uint32_t i = 0; i < CHUNK_SLOTS; i++)
        object_release(chunk->objects[i]);
    free(chunk);
}

static Chunk *chunk_new(void) {
    Chunk *chunk = NEW(Chunk);

    chunk->users = 1;
    return chunk;
}

// A slot's pointer for writing: copies the chunk if it is shared.
static Object **writable(Slots *slots, uint32_t index) {
    Chunk **at = &slots->chunks.items[index / CHUNK_SLOTS], *copy;

    if (__atomic_load_n(&(*at)->users, __ATOMIC_ACQUIRE) > 1) {
        copy = chunk_new();
        for (uint32_t i = 0; i < CHUNK_SLOTS; i++) {
            if ((*at)->objects[i])
                copy->objects[i] = object_retain((*at)->objects[i]);
        }
        chunk_release(*at);
        *at = copy;
        slots->copied++;
    }
    return &(*at)->objects[index % CHUNK_SLOTS];
}

static void add_chunk(Slots *slots) {
    if (slots->used == slots->capacity) {
        slots->capacity = slots->capacity ? slots->capacity * 2 : CHUNK_SLOTS;
        RESIZE(slots->chunks.items, slots->capacity / CHUNK_SLOTS);
        RESIZE(slots->generations, slots->capacity);
        RESIZE(slots->rounds, slots->capacity);
    }
    slots->chunks.items[slots->chunks.count++] = chunk_new();
}

static uint32_t slot_new(Slots *slots) {
    if (slots->free.count)
        return slots->free.items[--slots->free.count];
    if (slots->used % CHUNK_SLOTS == 0)
        add_chunk(slots);
    slots->generations[slots->used] = 1;
    return slots->used++;
}

static void index_object(Slots *slots, uint32_t index, const Object *object) {
    Identity identity = object_identity(object);

    table_put(&slots->by_name, name_key(identity.ns, identity.name), index);
    if (identity.uid != NAME_EMPTY)
        table_put(&slots->by_uid, identity.uid, index);
}

uint32_t slots_add(Slots *slots, Object *object) {
    uint32_t index = slot_new(slots);

    *writable(slots, index) = object;
    slots->rounds[index] = slots->round;
    slots->count++;
    index_object(slots, index, object);
    return index;
}

Object *slots_replace(Slots *slots, uint32_t index, Object *object) {
    Object **at = writable(slots, index), *before = *at;
    Symbol uid = object_identity(before).uid;

    if (uid != object_identity(object).uid)
        table_remove(&slots->by_uid, uid);
    *at = object;
    index_object(slots, index, object);
    return before;
}

void slots_renew(Slots *slots, uint32_t index) {
    if (++slots->generations[index] == 0)
        slots->generations[index] = 1;
}

Object *slots_remove(Slots *slots, uint32_t index) {
    Object **at = writable(slots, index), *before = *at;
    Identity identity = object_identity(before);

    *at = NULL;
    table_remove(&slots->by_name, name_key(identity.ns, identity.name));
    table_remove(&slots->by_uid, identity.uid);
    slots_renew(slots, index);
    slots->count--;
    GROW(slots->free.items, slots->free.capacity, slots->free.count + 1);
    slots->free.items[slots->free.count++] = index;
    return before;
}

Chunks slots_share(const Slots *slots) {
    Chunks copy = {.count = slots->chunks.count};

    copy.items = NEW_ARRAY(Chunk *, copy.count);
    for (uint32_t i = 0; i < copy.count; i++) {
        copy.items[i] = slots->chunks.items[i];
        __atomic_add_fetch(&copy.items[i]->users, 1, __ATOMIC_RELAXED);
    }
    return copy;
}

void chunks_release(Chunks *chunks) {
    for (uint32_t i = 0; i < chunks->count; i++)
        chunk_release(chunks->items[i]);
    free(chunks->items);
    *chunks = (Chunks){0};
}

void slots_free(Slots *slots) {
    chunks_release(&slots->chunks);
    free(slots->generations);
    free(slots->rounds);
    free(slots->free.items);
    table_free(&slots->by_name);
    table_free(&slots->by_uid);
    *slots = (Slots){0};
}

size_t slots_bytes(const Slots *slots) {
    return slots->chunks.count * sizeof(Chunk) + slots->capacity / CHUNK_SLOTS * sizeof(Chunk *) +
           slots->capacity * (sizeof *slots->generations + sizeof *slots->rounds) +
           slots->free.capacity * sizeof(uint32_t) + table_bytes(&slots->by_name) + table_bytes(&slots->by_uid);
}
