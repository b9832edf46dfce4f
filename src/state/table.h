// Table: a hash map from 64-bit keys to 32-bit values with removal, for the State's indexes. On the heap.
#pragma once

#include "base/map.h"

typedef struct {
    uint64_t *keys;
    uint32_t *values; // INDEX_NONE: free slot
    uint32_t capacity, count;
} Table;

void table_free(Table *table);
// INDEX_NONE: absent. O(1).
uint32_t table_get(const Table *table, uint64_t key);
// Adds or replaces. O(1) amortised.
void table_put(Table *table, uint64_t key, uint32_t value);
// A key that is not there is allowed. O(1).
void table_remove(Table *table, uint64_t key);
size_t table_bytes(const Table *table);
