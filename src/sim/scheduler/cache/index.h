// Lists and hash tables of the cache.
#pragma once

#include "sim/scheduler/cache/parts.h"

// Grows an array to at least `count` elements of `size`, new ones zeroed.
void *cache_grow(void *items, size_t size, uint32_t count, uint32_t *capacity);
#define cache_reserve(items, count, capacity) ((items) = cache_grow((items), sizeof *(items), (count), (capacity)))

void cache_list_add(CacheList *list, uint32_t item);
void cache_list_remove(CacheList *list, uint32_t item); // the first such item; keeps the order
bool cache_list_has(const CacheList *list, uint32_t item);
uint32_t cache_index_first(const CacheIndex *index, uint64_t hash);
void cache_index_add(CacheIndex *index, uint64_t hash, uint32_t item);
void cache_index_remove(CacheIndex *index, uint64_t hash, uint32_t item);
void cache_index_free(CacheIndex *index);
