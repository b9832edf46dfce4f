// Single heap allocations, to be freed by free(): for memory that is neither freed as a whole (base/arena.h) nor
// bounded.
//
// Allocation never fails: without memory the process ends with an error message.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// One zeroed struct, and an array of `count`. Count 0 gives a valid pointer.
#define NEW(type)              ((type *)alloc_zeroed(1, sizeof(type)))
#define NEW_ARRAY(type, count) ((type *)alloc_zeroed((count), sizeof(type)))

// Resizes the array `items` (NULL: none yet) to exactly `count` elements; new ones are not zeroed.
#define RESIZE(items, count) ((items) = alloc_resize((items), (count), sizeof *(items)))

// Makes room in `items` for `count` elements; the capacity at least doubles, and new elements are zeroed. O(1)
// amortised. `capacity` is a uint32_t.
#define GROW(items, capacity, count) ((items) = alloc_grow((items), &(capacity), (count), sizeof *(items)))

// Bytes that are not zeroed, for texts and for structs with a flexible array.
void *alloc_raw(size_t bytes) __attribute__((malloc, returns_nonnull, warn_unused_result));
void *alloc_zeroed(size_t count, size_t size) __attribute__((malloc, returns_nonnull, warn_unused_result));

// The functions behind RESIZE and GROW.
void *alloc_resize(void *items, size_t count, size_t size) __attribute__((returns_nonnull, warn_unused_result));
void *alloc_grow(void *items, uint32_t *capacity, uint32_t count, size_t size) __attribute__((warn_unused_result));
