// Slots: the objects of one kind by slot number. Snapshots share them.
//
// Slots are stored in chunks. A snapshot takes a reference to each chunk; a chunk with more than one reference is
// copied before it is written to. Other data of a slot (its generation) belongs to the State alone and is stored apart.
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
    uint32_t *rounds;        // per slot: the last relist that its object was in
    uint32_t round;          // number of the relist that runs or ran last
    bool anew;               // it is one of objects that may be shown otherwise at the same revision
    uint32_t used, capacity; // slots that were ever in use; room in the arrays
    uint32_t count;          // objects
    uint64_t copied;         // chunks that were copied because a snapshot shared them
    U32Vec free;             // free slots, used from the last one on; on the heap
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

// The slot of the object with that name or uid; INDEX_NONE: none.
uint32_t slots_find(const Slots *slots, Symbol ns, Symbol name);
uint32_t slots_find_uid(const Slots *slots, Symbol uid);

// Takes the object over; returns its slot.
uint32_t slots_add(Slots *slots, Object *object);
// Replaces the object of a slot and returns the old one to the caller.
Object *slots_replace(Slots *slots, uint32_t index, Object *object);
// Empties the slot and ends its generation; returns the object to the caller.
Object *slots_remove(Slots *slots, uint32_t index);
// Ends the slot's generation but keeps the slot, for another object of the same name.
void slots_renew(Slots *slots, uint32_t index);

// A reference to each chunk, for a snapshot.
Chunks slots_share(const Slots *slots);
void chunks_release(Chunks *chunks); // any thread
void slots_free(Slots *slots);
size_t slots_bytes(const Slots *slots);
