// NoteTable: an array of notes and an index of it; both are rebuilt when the array is full.
#include "ctl/common/notes.h"

#include "base/check.h"

enum { NOTES_MIN = 16 };

static uint64_t key_bits(Key key) {
    return (uint64_t)key.ns << 32 | key.name;
}

// A removed note has the key {0}, which no object has.
static Key *note_at(const NoteTable *notes, uint32_t place) {
    return (Key *)(void *)(notes->notes + place * notes->note_size);
}

void notes_free(NoteTable *notes) {
    arena_free(&notes->arena);
    *notes = (NoteTable){.note_size = notes->note_size};
}

void *notes_find(const NoteTable *notes, Key key) {
    uint32_t place = u64_map_get(&notes->index, key_bits(key));
    Key *note = place == INDEX_NONE ? NULL : note_at(notes, place);

    return note && key_eq(*note, key) ? note : NULL;
}

// Rebuilds the table with room for twice the live notes.
static void make_room(NoteTable *notes) {
    NoteTable larger = {.note_size = notes->note_size, .capacity = notes_count(notes) * 2};
    uint32_t at = 0;

    if (larger.capacity < NOTES_MIN)
        larger.capacity = NOTES_MIN;
    larger.notes = arena_alloc_array(&larger.arena, notes->note_size, larger.capacity);
    for (Key *note = notes_next(notes, &at); note; note = notes_next(notes, &at)) {
        u64_map_put(&larger.arena, &larger.index, key_bits(*note), larger.count);
        memcpy(note_at(&larger, larger.count++), note, notes->note_size);
    }
    arena_free(&notes->arena);
    *notes = larger;
}

void *notes_add(NoteTable *notes, Key key) {
    Key *note = notes_find(notes, key);

    CHECK(key.name != 0, "a note about nothing");
    if (note)
        return note;
    if (notes->count == notes->capacity)
        make_room(notes);
    note = note_at(notes, notes->count);
    memset(note, 0, notes->note_size);
    *note = key;
    u64_map_put(&notes->arena, &notes->index, key_bits(key), notes->count++);
    return note;
}

void notes_remove(NoteTable *notes, Key key) {
    Key *note = notes_find(notes, key);

    if (!note)
        return;
    *note = (Key){0};
    notes->struck++;
}

void *notes_next(const NoteTable *notes, uint32_t *at) {
    while (*at < notes->count) {
        Key *note = note_at(notes, (*at)++);

        if (note->name != 0)
            return note;
    }
    return NULL;
}
