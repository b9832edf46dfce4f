// Notes of one controller about the objects it is busy with, by key: process memory that may be lost at any moment.
//
// Each note is a struct that begins with a Key. Memory follows the number of notes that are there: what was struck out
// is given back when the notes grows. Walks go in the order of adding. Keys are symbols of the State, so a note must
// be struck out when its object goes away (base/symbol.h).
#pragma once

#include "base/map.h"
#include "ctl/intent.h"

typedef struct {
    size_t note_size;
    Arena arena;
    IndexMap index; // of the key to the place in `notes`; stale for those that were struck out
    char *notes;
    uint32_t count, capacity, struck;
} NoteTable;

// {.note_size = sizeof(Note)} is a valid empty notes.
void notes_free(NoteTable *notes);

// The note of the key, NULL: none. Valid until the next notes_add. O(1).
void *notes_find(const NoteTable *notes, Key key);
// The same, made (zeroed but for its key) when there is none. O(1) amortised.
void *notes_add(NoteTable *notes, Key key);
// Takes the note of the key out, if there is one. O(1).
void notes_remove(NoteTable *notes, Key key);

// Walks the notes: start with *at = 0; NULL ends it. Notes may be struck out meanwhile, not added.
void *notes_next(const NoteTable *notes, uint32_t *at);

static inline uint32_t notes_count(const NoteTable *notes) {
    return notes->count - notes->struck;
}
