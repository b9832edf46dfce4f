// Linear probing, at most 3/4 full. Removal shifts the following entries back, so there are no tombstones.
#include "state/table.h"

#include "base/alloc.h"
#include "base/check.h"

void table_free(Table *table) {
    free(table->keys);
    free(table->values);
    *table = (Table){0};
}

static uint32_t home_of(const Table *table, uint64_t key) {
    return (uint32_t)hash_u64(key) & (table->capacity - 1);
}

// Position of the key, or of the free entry where it would go.
static uint32_t slot_of(const Table *table, uint64_t key) {
    uint32_t at = home_of(table, key);

    while (table->values[at] != INDEX_NONE && table->keys[at] != key)
        at = (at + 1) & (table->capacity - 1);
    return at;
}

static void grow(Table *table) {
    Table old = *table;

    table->capacity = old.capacity ? old.capacity * 2 : 16;
    CHECK(table->capacity > old.capacity, "table of more than 2^31 keys");
    table->keys = NEW_ARRAY(uint64_t, table->capacity);
    table->values = NEW_ARRAY(uint32_t, table->capacity);
    memset(table->values, 0xff, table->capacity * sizeof *table->values);
    for (uint32_t i = 0; i < old.capacity; i++) {
        if (old.values[i] != INDEX_NONE) {
            uint32_t at = slot_of(table, old.keys[i]);

            table->keys[at] = old.keys[i];
            table->values[at] = old.values[i];
        }
    }
    table_free(&old);
}

uint32_t table_get(const Table *table, uint64_t key) {
    return table->count ? table->values[slot_of(table, key)] : INDEX_NONE;
}

void table_put(Table *table, uint64_t key, uint32_t value) {
    uint32_t at;

    if ((uint64_t)(table->count + 1) * 4 > (uint64_t)table->capacity * 3)
        grow(table);
    at = slot_of(table, key);
    table->count += table->values[at] == INDEX_NONE;
    table->keys[at] = key;
    table->values[at] = value;
}

void table_remove(Table *table, uint64_t key) {
    uint32_t mask = table->capacity - 1, hole;

    if (table->count == 0)
        return;
    hole = slot_of(table, key);
    if (table->values[hole] == INDEX_NONE)
        return;
    for (uint32_t at = (hole + 1) & mask; table->values[at] != INDEX_NONE; at = (at + 1) & mask) {
        uint32_t home = home_of(table, table->keys[at]);

        if (((at - home) & mask) >=
            ((at - hole) & mask)) { // the hole lies between the entry's ideal position and its actual one
            table->keys[hole] = table->keys[at];
            table->values[hole] = table->values[at];
            hole = at;
        }
    }
    table->values[hole] = INDEX_NONE;
    table->count--;
}

size_t table_bytes(const Table *table) {
    return table->capacity * (sizeof *table->keys + sizeof *table->values);
}
