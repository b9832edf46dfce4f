// The objects of one kind by slot: what a snapshot shares.
//
// Slots lie in chunks. A snapshot takes the chunks as they are and counts itself as a user; a chunk with more than one
// user is copied before it is written to. What else a slot has (its generation) belongs to the owner of the State and
// lies beside.
#pragma once

#include "state/object.h"
#include "state/table.h"

enum { CHUNK_SLOTS = 128 };

typedef struct {
    uint32_t users; // atomic
    Object *objects[CHUNK_SLOTS];
} Chunk;

typedef struct {
    Chunk **items;
    uint32_t count;
} Chunks;

typedef struct {
    Chunks chunks;
    uint32_t *generations;
    uint32_t *rounds;        // the relist that the slot was last told in
    uint32_t round;          // of the relist that runs or ran last
    uint32_t used, capacity; // slots that were ever in use; room in the arrays
    uint32_t count;          // objects
    uint64_t copied;         // chunks that a snapshot had and that were written to
    U32Vec free;             // slots to be used again, the last first; on the heap
    Table by_name, by_uid;
} Slots;

static inline Object *slots_get(const Slots *slots, uint32_t index) {
    return index < slots->used ? slots->chunks.items[index / CHUNK_SLOTS]->objects[index % CHUNK_SLOTS] : NULL;
}

// The object of a handle, NULL when it is gone.
static inline Object *slots_at(const Slots *slots, Handle handle) {
    Object *object = handle.generation ? slots_get(slots, handle.index) : NULL;

    return object && slots->generations[handle.index] == handle.generation ? object : NULL;
}

static inline Handle slots_handle(const Slots *slots, uint32_t index) {
    return (Handle){index, slots->generations[index]};
}

// The slot of that identity, INDEX_NONE: none.
uint32_t slots_find(const Slots *slots, Symbol ns, Symbol name);
uint32_t slots_find_uid(const Slots *slots, Symbol uid);

// Takes the object over; returns its slot.
uint32_t slots_add(Slots *slots, Object *object);
// The object that was there becomes the caller's.
Object *slots_replace(Slots *slots, uint32_t index, Object *object);
// The slot's generation ends.
Object *slots_remove(Slots *slots, uint32_t index);
// The same slot, another object of the same name: older handles end.
void slots_renew(Slots *slots, uint32_t index);

// The chunks as they are now, for a snapshot.
Chunks slots_share(const Slots *slots);
void chunks_release(Chunks *chunks); // any thread
void slots_free(Slots *slots);
size_t slots_bytes(const Slots *slots);
