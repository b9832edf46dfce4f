// Hash tables by identity with removal (chains in two arrays), and growing arrays.
#include "sim/scheduler/cache/index.h"

#include <stdlib.h>

void cache_list_add(CacheList *list, uint32_t item) {
    GROW(list->items, list->capacity, list->count + 1);
    list->items[list->count++] = item;
}

void cache_list_remove(CacheList *list, uint32_t item) {
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->items[i] != item)
            continue;
        memmove(&list->items[i], &list->items[i + 1], (list->count - i - 1) * sizeof *list->items);
        list->count--;
        return;
    }
}

bool cache_list_has(const CacheList *list, uint32_t item) {
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->items[i] == item)
            return true;
    }
    return false;
}

// The first candidate; CACHE_NONE: none. The next one is index->next[candidate].
uint32_t cache_index_first(const CacheIndex *index, uint64_t hash) {
    return index->buckets ? index->slots[hash & (index->buckets - 1)] : CACHE_NONE;
}

// The number of buckets is fixed: there are thousands of items at most.
void cache_index_add(CacheIndex *index, uint64_t hash, uint32_t item) {
    uint32_t *first;

    if (!index->buckets) {
        index->buckets = 1 << 14;
        RESIZE(index->slots, index->buckets);
        memset(index->slots, 0xff, index->buckets * sizeof *index->slots);
    }
    GROW(index->next, index->next_capacity, item + 1);
    first = &index->slots[hash & (index->buckets - 1)];
    index->next[item] = *first;
    *first = item;
}

void cache_index_remove(CacheIndex *index, uint64_t hash, uint32_t item) {
    uint32_t *at = &index->slots[hash & (index->buckets - 1)];

    while (*at != item)
        at = &index->next[*at];
    *at = index->next[item];
}

void cache_index_free(CacheIndex *index) {
    free(index->slots);
    free(index->next);
}
