// What the recorder remembers, in tables of fixed size: what was said until when, and which Event was written for it.
#pragma once

#include "base/time.h"

typedef struct RecorderMemory RecorderMemory;

RecorderMemory *recorder_memory_new(void);
void recorder_memory_free(RecorderMemory *memory);

// Whether it was said before and its time is not over; else it counts as said until then. O(1).
bool recorder_memory_was_said(RecorderMemory *memory, uint64_t hash, Mono now, Mono until);

// An Event that was written: enough to find and patch it.
typedef struct {
    uint64_t hash;             // of everything that makes two events the same; 0: free
    uint64_t stamp;            // in its name
    int64_t first_ns, last_ns; // wall time
    uint32_t count;
} WrittenEvent;

// The entry of that hash, NULL: none. Valid until the next call. O(1).
WrittenEvent *recorder_memory_find(RecorderMemory *memory, uint64_t hash);
// A fresh entry, in place of the one that was used longest ago.
WrittenEvent *recorder_memory_add(RecorderMemory *memory, uint64_t hash);
void recorder_memory_forget(RecorderMemory *memory, uint64_t hash);
