// Chunked bump allocation. Chunks double from 4 KiB to 1 MiB; a larger request gets a chunk of its own.
#include "base/arena.h"

#include "base/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __has_feature // clang; gcc defines a macro
#if __has_feature(address_sanitizer)
#define HAS_ADDRESS_SANITIZER
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define HAS_ADDRESS_SANITIZER
#endif
#ifdef HAS_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#define POISON(ptr, size)   ASAN_POISON_MEMORY_REGION(ptr, size)
#define UNPOISON(ptr, size) ASAN_UNPOISON_MEMORY_REGION(ptr, size)
enum { GAP = 16 }; // between allocations, so that an overflow is detected
#else
#define POISON(ptr, size)   ((void)0)
#define UNPOISON(ptr, size) ((void)0)
enum { GAP = 0 };
#endif

enum { ALIGNMENT = 16, FIRST_CHUNK = 4096, LARGEST_CHUNK = 1 << 20 };

struct ArenaChunk {
    ArenaChunk *older;
    size_t size; // of the bytes after this header
    _Alignas(ALIGNMENT) char bytes[];
};

static void chunk_add_sized(Arena *arena, size_t size) {
    ArenaChunk *chunk = malloc(sizeof *chunk + size);

    CHECK(chunk, "out of memory for %zu bytes", size);
    chunk->older = arena->chunk;
    chunk->size = size;
    arena->chunk = chunk;
    arena->at = chunk->bytes;
    arena->end = chunk->bytes + size;
    POISON(chunk->bytes, size);
}

static void chunk_add(Arena *arena, size_t needed) {
    size_t size = arena->chunk ? arena->chunk->size * 2 : FIRST_CHUNK - sizeof(ArenaChunk);

    if (size > LARGEST_CHUNK - sizeof(ArenaChunk))
        size = LARGEST_CHUNK - sizeof(ArenaChunk);
    chunk_add_sized(arena, size < needed ? needed : size);
}

void arena_reserve(Arena *arena, size_t bytes) {
    CHECK(!arena->chunk, "the arena is in use");
    chunk_add_sized(arena, bytes);
}

void *arena_alloc_raw(Arena *arena, size_t size) {
    size_t rounded;
    char *result;

    CHECK(size < (size_t)1 << 46, "absurd allocation of %zu bytes", size);
    rounded = ((size ? size : 1) + GAP + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (!arena->chunk || (size_t)(arena->end - arena->at) < rounded)
        chunk_add(arena, rounded);
    result = arena->at;
    arena->at += rounded;
    arena->used_bytes += rounded;
    UNPOISON(result, size);
    return result;
}

void *arena_alloc(Arena *arena, size_t size) {
    return memset(arena_alloc_raw(arena, size), 0, size);
}

void *arena_alloc_array_raw(Arena *arena, size_t size, size_t count) {
    size_t bytes;

    CHECK(!__builtin_mul_overflow(size, count, &bytes), "array of %zu elements of %zu bytes", count, size);
    return arena_alloc_raw(arena, bytes);
}

void *arena_alloc_array(Arena *arena, size_t size, size_t count) {
    return memset(arena_alloc_array_raw(arena, size, count), 0, size * count);
}

void *arena_copy(Arena *arena, const void *bytes, size_t size) {
    void *copy = arena_alloc_raw(arena, size);

    return size ? memcpy(copy, bytes, size) : copy;
}

Slice arena_slice(Arena *arena, Slice s) {
    return (Slice){arena_copy(arena, s.ptr, s.len), s.len};
}

const char *arena_text(Arena *arena, Slice s) {
    char *copy = arena_alloc_raw(arena, s.len + 1);

    if (s.len)
        memcpy(copy, s.ptr, s.len);
    copy[s.len] = 0;
    return copy;
}

Slice arena_printf(Arena *arena, const char *format, ...) {
    va_list args, again;
    int len;
    char *text;

    va_start(args, format);
    va_copy(again, args);
    len = vsnprintf(NULL, 0, format, args);
    va_end(args);
    CHECK(len >= 0, "bad format '%s'", format);
    text = arena_alloc_raw(arena, (size_t)len + 1);
    vsnprintf(text, (size_t)len + 1, format, again);
    va_end(again);
    return (Slice){text, (size_t)len};
}

void arena_wipe(Arena *arena) {
    for (ArenaChunk *chunk = arena->chunk; chunk; chunk = chunk->older) {
        UNPOISON(chunk->bytes, chunk->size);
        explicit_bzero(chunk->bytes, chunk->size);
    }
    arena_free(arena);
}

ArenaMark arena_mark(const Arena *arena) {
    return (ArenaMark){arena->chunk, arena->at, arena->used_bytes};
}

void arena_rewind(Arena *arena, ArenaMark mark) {
    while (arena->chunk != mark.chunk) {
        ArenaChunk *older = arena->chunk->older;

        UNPOISON(arena->chunk->bytes, arena->chunk->size);
        free(arena->chunk);
        arena->chunk = older;
    }
    arena->at = mark.at;
    arena->end = arena->chunk ? arena->chunk->bytes + arena->chunk->size : NULL;
    arena->used_bytes = mark.used_bytes;
    if (arena->chunk)
        POISON(arena->at, (size_t)(arena->end - arena->at));
}

void arena_free(Arena *arena) {
    arena_rewind(arena, (ArenaMark){0});
}
