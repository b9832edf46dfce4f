// NoteTable: what a controller remembers of objects, by key. It is process memory, which may be lost at any moment.
//
// Each note is a struct that begins with a Key. Memory is proportional to the number of notes: the space of removed
// ones is reclaimed when the table grows. Walks are in insertion order. Keys are symbols of the State, so a note must
// be removed when its object is (base/symbol.h).
#pragma once

#include "base/map.h"
#include "ctl/intent.h"

typedef struct {
    size_t note_size;
    Arena arena;
    IndexMap index; // key to place in `notes`; stale for removed ones
    char *notes;
    uint32_t count, capacity, struck;
} NoteTable;

// {.note_size = sizeof(Note)} is a valid empty table.
void notes_free(NoteTable *notes);

// The note of the key; NULL: none. Valid until the next notes_add. O(1).
void *notes_find(const NoteTable *notes, Key key);
// The note of the key; added, zeroed but for its key, when there is none. O(1) amortised.
void *notes_add(NoteTable *notes, Key key);
// Removes the note of the key, if there is one. O(1).
void notes_remove(NoteTable *notes, Key key);

// Walks the notes: start with *at = 0; NULL at the end. Notes may be removed during a walk, not added.
void *notes_next(const NoteTable *notes, uint32_t *at);

static inline uint32_t notes_count(const NoteTable *notes) {
    return notes->count - notes->struck;
}
