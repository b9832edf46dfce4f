// Memory of the recorder, in tables of fixed size: which events were published until when, and the Events that were
// written.
#pragma once

#include "base/time.h"

typedef struct RecorderMemory RecorderMemory;

RecorderMemory *recorder_memory_new(void);
void recorder_memory_free(RecorderMemory *memory);

// Whether the event of that hash was published and its dedupe time is not over; else it counts as published until
// `until`. O(1).
bool recorder_memory_was_said(RecorderMemory *memory, uint64_t hash, Mono now, Mono until);

// An Event that was written: enough to find and patch it.
typedef struct {
    uint64_t hash;             // of all members that make two events equal; 0: a free entry
    uint64_t stamp;            // part of its name
    int64_t first_ns, last_ns; // wall time
    uint32_t count;
} WrittenEvent;

// The entry of that hash; NULL: none. Valid until the next call. O(1).
WrittenEvent *recorder_memory_find(RecorderMemory *memory, uint64_t hash);
// Adds an entry, in place of the least recently used one.
WrittenEvent *recorder_memory_add(RecorderMemory *memory, uint64_t hash);
void recorder_memory_forget(RecorderMemory *memory, uint64_t hash);
