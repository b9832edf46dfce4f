// Single pieces of memory that somebody frees by free(): for what is neither freed as a whole (base/arena.h) nor
// bounded.
//
// Allocation never fails: when the system has no memory left, the process ends with a clear line.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// One struct, and `count` of them, zeroed. Count 0 gives a valid pointer.
#define NEW(type)              ((type *)alloc_zeroed(1, sizeof(type)))
#define NEW_ARRAY(type, count) ((type *)alloc_zeroed((count), sizeof(type)))

// Gives the array `items` (NULL: none yet) exactly `count` elements; what is new is not zeroed.
#define RESIZE(items, count) ((items) = alloc_resize((items), (count), sizeof *(items)))

// Makes sure that `items` has room for `count` elements: to twice the capacity where it must grow, and what is new is
// zeroed. O(1) amortised. `capacity` is an uint32_t.
#define GROW(items, capacity, count) ((items) = alloc_grow((items), &(capacity), (count), sizeof *(items)))

// Bytes without zeroing, for texts and for structs with a tail.
void *alloc_raw(size_t bytes) __attribute__((malloc, returns_nonnull, warn_unused_result));
void *alloc_zeroed(size_t count, size_t size) __attribute__((malloc, returns_nonnull, warn_unused_result));

// What RESIZE and GROW call.
void *alloc_resize(void *items, size_t count, size_t size) __attribute__((returns_nonnull, warn_unused_result));
void *alloc_grow(void *items, uint32_t *capacity, uint32_t count, size_t size) __attribute__((warn_unused_result));
