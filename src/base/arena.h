// A region of memory that is freed as a whole.
//
// A function that returns memory takes the Arena it comes from: the signature says who owns what. Lifetimes have
// names: process, object in the store, one solve, one request. Allocation never fails: past the arena's maximum, or
// when the system has none left, the process ends with a clear line (a bounded arena is checked by its owner before
// that, with arena_used).
#pragma once

#include "base/slice.h"

typedef struct ArenaChunk ArenaChunk;

typedef struct {
    ArenaChunk *chunk; // newest; NULL: nothing allocated yet
    char *at, *end;    // free part of the newest chunk
    size_t used_bytes; // sum of what was handed out
} Arena;

// A place to go back to: everything allocated later is freed by arena_rewind.
typedef struct {
    ArenaChunk *chunk;
    char *at;
    size_t used_bytes;
} ArenaMark;

// {0} is a valid empty arena.
void arena_free(Arena *arena);
// Room for `bytes` (as arena_used counted them in another arena) in one piece, so that what is known to be small and to
// live long takes no more. For an empty arena.
void arena_reserve(Arena *arena, size_t bytes);
ArenaMark arena_mark(const Arena *arena);
void arena_rewind(Arena *arena, ArenaMark mark);

// Zeroed memory, aligned for any type. O(1) amortised plus the zeroing. size 0 gives a valid pointer.
void *arena_alloc(Arena *arena, size_t size);

// The same without zeroing, for buffers that are filled at once.
void *arena_alloc_raw(Arena *arena, size_t size);

// A copy of `size` bytes; of a slice; of a slice as NUL-terminated text.
void *arena_copy(Arena *arena, const void *bytes, size_t size);
Slice arena_slice(Arena *arena, Slice s);
const char *arena_text(Arena *arena, Slice s);

// printf into the arena. O(length).
__attribute__((format(printf, 2, 3))) Slice arena_printf(Arena *arena, const char *format, ...);

#define arena_new(arena, type)          ((type *)arena_alloc((arena), sizeof(type)))
#define arena_array(arena, type, count) ((type *)arena_alloc_array((arena), sizeof(type), (count)))
// Not zeroed, for what is filled at once.
#define arena_array_raw(arena, type, count) ((type *)arena_alloc_array_raw((arena), sizeof(type), (count)))

// count * size bytes, overflow-checked.
void *arena_alloc_array(Arena *arena, size_t size, size_t count);
void *arena_alloc_array_raw(Arena *arena, size_t size, size_t count);

static inline size_t arena_used(const Arena *arena) {
    return arena->used_bytes;
}
