// Checked heap allocation.
#include "base/alloc.h"

#include "base/check.h"

#include <string.h>

enum { GROW_FIRST = 16 };

void *alloc_raw(size_t bytes) {
    void *memory = malloc(bytes + !bytes);

    CHECK(memory, "out of memory for %zu bytes", bytes);
    return memory;
}

void *alloc_zeroed(size_t count, size_t size) {
    void *memory = calloc(count + !count, size);

    CHECK(memory, "out of memory for %zu pieces of %zu bytes", count, size);
    return memory;
}

void *alloc_resize(void *items, size_t count, size_t size) {
    void *resized = reallocarray(items, count + !count, size);

    CHECK(resized, "out of memory for %zu pieces of %zu bytes", count, size);
    return resized;
}

void *alloc_grow(void *items, uint32_t *capacity, uint32_t count, size_t size) {
    uint32_t larger = *capacity < GROW_FIRST ? GROW_FIRST : *capacity;

    if (count <= *capacity)
        return items;
    CHECK(count <= UINT32_MAX / 2, "%u pieces", count);
    while (larger < count)
        larger *= 2;
    items = alloc_resize(items, larger, size);
    memset((char *)items + *capacity * size, 0, (larger - *capacity) * size);
    *capacity = larger;
    return items;
}
