// Heap: sifting up and down.
#include "base/heap.h"

#include "base/alloc.h"
#include "base/check.h"

void heap_free(Heap *heap) {
    free(heap->items);
    *heap = (Heap){0};
}

static void put(Heap *heap, const HeapOrder *order, void *owner, uint32_t place, uint32_t element) {
    heap->items[place] = element;
    *order->place(owner, element) = place;
}

static void rise(Heap *heap, const HeapOrder *order, void *owner, uint32_t place, uint32_t element) {
    for (; place && order->is_before(owner, element, heap->items[(place - 1) / 2]); place = (place - 1) / 2)
        put(heap, order, owner, place, heap->items[(place - 1) / 2]);
    put(heap, order, owner, place, element);
}

static void sink(Heap *heap, const HeapOrder *order, void *owner, uint32_t place, uint32_t element) {
    for (;;) {
        uint32_t child = 2 * place + 1;

        if (child >= heap->count)
            break;
        if (child + 1 < heap->count && order->is_before(owner, heap->items[child + 1], heap->items[child]))
            child++;
        if (!order->is_before(owner, heap->items[child], element))
            break;
        put(heap, order, owner, place, heap->items[child]);
        place = child;
    }
    put(heap, order, owner, place, element);
}

// Moves the element at `place` up or down; everything else is in heap order.
static void settle(Heap *heap, const HeapOrder *order, void *owner, uint32_t place) {
    uint32_t element = heap->items[place];

    sink(heap, order, owner, place, element);
    rise(heap, order, owner, *order->place(owner, element), element);
}

void heap_add(Heap *heap, const HeapOrder *order, void *owner, uint32_t element) {
    GROW(heap->items, heap->capacity, heap->count + 1);
    rise(heap, order, owner, heap->count++, element);
}

void heap_remove(Heap *heap, const HeapOrder *order, void *owner, uint32_t element) {
    uint32_t place = *order->place(owner, element), last;

    CHECK(place < heap->count && heap->items[place] == element, "%u is not in the heap", element);
    last = heap->items[--heap->count];
    *order->place(owner, element) = HEAP_NONE;
    if (place == heap->count)
        return;
    put(heap, order, owner, place, last);
    settle(heap, order, owner, place);
}

void heap_update(Heap *heap, const HeapOrder *order, void *owner, uint32_t element) {
    settle(heap, order, owner, *order->place(owner, element));
}

uint32_t heap_take(Heap *heap, const HeapOrder *order, void *owner) {
    uint32_t first;

    CHECK(heap->count, "taking from an empty heap");
    first = heap->items[0];
    heap_remove(heap, order, owner, first);
    return first;
}
