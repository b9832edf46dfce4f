// Heap: a binary heap, whose first element is known in O(1).
//
// It holds no elements, as IndexMap does not: only their numbers in an array of the caller (the owner). An element
// stores its position in the heap, so that it can be removed from the middle, or moved when its rank changes. Memory
// comes from malloc, because queues live long and are reused. {0} is a valid empty heap.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { HEAP_NONE = UINT32_MAX }; // position of an element that is not in the heap

typedef struct {
    uint32_t *items; // the first element in items[0], the others in heap order
    uint32_t count, capacity;
} Heap;

// Callbacks of the owner about its elements.
typedef struct {
    // Whether `a` comes before `b`. It must be a strict order: ties are broken by something, such as the order of
    // arrival, so that the result does not depend on the heap's layout.
    bool (*is_before)(const void *owner, uint32_t a, uint32_t b);
    // Where the element stores its position.
    uint32_t *(*place)(void *owner, uint32_t element);
} HeapOrder;

void heap_free(Heap *heap);

// Adds an element that is not in the heap. O(log n).
void heap_add(Heap *heap, const HeapOrder *order, void *owner, uint32_t element);
// Removes an element of the heap; its position becomes HEAP_NONE. O(log n).
void heap_remove(Heap *heap, const HeapOrder *order, void *owner, uint32_t element);
// Moves an element of the heap whose rank has changed. O(log n).
void heap_update(Heap *heap, const HeapOrder *order, void *owner, uint32_t element);
// Removes the first element of a heap that is not empty. O(log n).
uint32_t heap_take(Heap *heap, const HeapOrder *order, void *owner);
