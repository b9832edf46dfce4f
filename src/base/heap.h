// A binary heap: of the elements that are in it, the first one is at hand in O(1).
//
// It holds no elements, as IndexMap does: only the numbers of those that the caller (the owner) keeps in an array of
// its own. An element keeps its place in the heap, so that it can be taken out of the middle, or moved when its rank
// changes. Memory comes from malloc, because queues live long and are used again. {0} is a valid empty heap.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { HEAP_NONE = UINT32_MAX }; // a place: not in the heap

typedef struct {
    uint32_t *items; // the first one in items[0], the others in no order that means anything
    uint32_t count, capacity;
} Heap;

// What the owner says of its elements.
typedef struct {
    // Whether `a` comes before `b`. Of two elements exactly one does: a tie is broken by something, such as the order
    // of coming, so that what comes out does not depend on how the heap lies.
    bool (*is_before)(const void *owner, uint32_t a, uint32_t b);
    // Where the element keeps its place.
    uint32_t *(*place)(void *owner, uint32_t element);
} HeapOrder;

void heap_free(Heap *heap);

// Puts an element in that is not there. O(log n).
void heap_add(Heap *heap, const HeapOrder *order, void *owner, uint32_t element);
// Takes an element out that is there; its place becomes HEAP_NONE. O(log n).
void heap_remove(Heap *heap, const HeapOrder *order, void *owner, uint32_t element);
// An element that is there has got another rank. O(log n).
void heap_update(Heap *heap, const HeapOrder *order, void *owner, uint32_t element);
// Takes the first one out of a heap that is not empty. O(log n).
uint32_t heap_take(Heap *heap, const HeapOrder *order, void *owner);
