// Arena: a region of memory that is freed as a whole.
//
// A function that returns memory takes the Arena it comes from: the signature says who owns it. Lifetimes have names:
// process, object in the store, one solve, one request. Allocation never fails: beyond the arena's maximum, or when the
// system has no memory, the process ends with an error message (the owner of a bounded arena checks arena_used before).
#pragma once

#include "base/slice.h"

typedef struct ArenaChunk ArenaChunk;

typedef struct {
    ArenaChunk *chunk; // newest; NULL: empty
    char *at, *end;    // free part of the newest chunk
    size_t used_bytes; // sum of all allocations
} Arena;

// A position in an arena: arena_rewind frees everything that was allocated after it.
typedef struct {
    ArenaChunk *chunk;
    char *at;
    size_t used_bytes;
} ArenaMark;

// {0} is a valid empty arena.
void arena_free(Arena *arena);
// The same, for memory that had secrets: it is zeroed first. O(bytes).
void arena_wipe(Arena *arena);
// Reserves `bytes` (as counted by arena_used of another arena) in one chunk, so that small memory with a long life
// takes no more than that. For an empty arena.
void arena_reserve(Arena *arena, size_t bytes);
ArenaMark arena_mark(const Arena *arena);
void arena_rewind(Arena *arena, ArenaMark mark);

// Zeroed memory, aligned for any type. O(1) amortised plus the zeroing. size 0 gives a valid pointer.
void *arena_alloc(Arena *arena, size_t size);

// The same, not zeroed, for buffers that are filled at once.
void *arena_alloc_raw(Arena *arena, size_t size);

// Copies of `size` bytes, of a slice, and of a slice as NUL-terminated text.
void *arena_copy(Arena *arena, const void *bytes, size_t size);
Slice arena_slice(Arena *arena, Slice s);
const char *arena_text(Arena *arena, Slice s);

// printf into the arena. O(length).
__attribute__((format(printf, 2, 3))) Slice arena_printf(Arena *arena, const char *format, ...);

#define arena_new(arena, type)          ((type *)arena_alloc((arena), sizeof(type)))
#define arena_array(arena, type, count) ((type *)arena_alloc_array((arena), sizeof(type), (count)))
// Not zeroed, for arrays that are filled at once.
#define arena_array_raw(arena, type, count) ((type *)arena_alloc_array_raw((arena), sizeof(type), (count)))

// count * size bytes, with a check for overflow.
void *arena_alloc_array(Arena *arena, size_t size, size_t count);
void *arena_alloc_array_raw(Arena *arena, size_t size, size_t count);

static inline size_t arena_used(const Arena *arena) {
    return arena->used_bytes;
}
