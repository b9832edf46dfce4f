// Growing arrays in an arena.
//
// `Vec(T)` declares the struct; the elements are `items[0..count)`. {0} is a valid empty vector. Growing leaves the old
// elements in the arena: good for vectors that are built once, not for queues that live long.
#pragma once

#include "base/arena.h"
#include "base/check.h"

#define Vec(type)                                                                                                      \
    struct {                                                                                                           \
        type *items;                                                                                                   \
        uint32_t count, capacity;                                                                                      \
    }

// Vector types that several files exchange.
typedef Vec(Slice) SliceVec;
typedef Vec(uint32_t) U32Vec;

// Appends a zeroed element and returns a pointer to it. O(1) amortised.
#define vec_add(arena, vec)                                                                                            \
    ((vec)->count == (vec)->capacity                                                                                   \
         ? ((vec)->items = vec_grow((arena), (vec)->items, sizeof *(vec)->items, (vec)->count, &(vec)->capacity),      \
            &(vec)->items[(vec)->count++])                                                                             \
         : (memset(&(vec)->items[(vec)->count], 0, sizeof *(vec)->items), &(vec)->items[(vec)->count++]))

#define vec_push(arena, vec, ...) ((void)(*vec_add(arena, vec) = (__VA_ARGS__)))
#define vec_last(vec)             (&(vec)->items[(vec)->count - 1])
// for (vec_each(T, item, &vec)) { … }
#define vec_each(type, name, vec)                                                                                      \
    type *name = (vec)->items;                                                                                         \
    name &&name < (vec)->items + (vec)->count;                                                                         \
    name++

static inline void *vec_grow(Arena *arena, const void *items, size_t size, uint32_t count, uint32_t *capacity) {
    uint32_t larger = *capacity ? *capacity * 2 : 4;
    char *copy;

    CHECK(larger > *capacity, "vector of more than 2^31 elements");
    copy = (char *)arena_alloc_array_raw(arena, size, larger);
    if (items) // NULL: none yet
        memcpy(copy, items, size * count);
    memset(copy + size * count, 0, size * (larger - count));
    *capacity = larger;
    return copy;
}

// Whether the number is in the list. O(count).
static inline bool u32_vec_has(const U32Vec *numbers, uint32_t number) {
    for (vec_each(const uint32_t, member, numbers)) {
        if (*member == number)
            return true;
    }
    return false;
}
