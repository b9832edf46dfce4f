// Linear probing over two parallel arrays; any hash is valid, 0 too: a slot is free by its value.
#include "base/map.h"

static uint32_t slot_of(const IndexMap *map, uint64_t hash) {
    return (uint32_t)hash_u64(hash) & (map->capacity - 1);
}

uint32_t index_map_next(const IndexMap *map, uint64_t hash, uint32_t *cursor) {
    uint32_t mask = map->capacity - 1;
    uint32_t start = map->capacity ? slot_of(map, hash) : 0;

    for (; *cursor < map->capacity; ++*cursor) {
        uint32_t slot = (start + *cursor) & mask;

        if (map->values[slot] == INDEX_NONE)
            break;
        if (map->hashes[slot] == hash) {
            ++*cursor;
            return map->values[slot];
        }
    }
    *cursor = map->capacity;
    return INDEX_NONE;
}

static void insert(IndexMap *map, uint64_t hash, uint32_t value) {
    uint32_t slot = slot_of(map, hash);

    while (map->values[slot] != INDEX_NONE)
        slot = (slot + 1) & (map->capacity - 1);
    map->hashes[slot] = hash;
    map->values[slot] = value;
    map->count++;
}

static void grow(Arena *arena, IndexMap *map) {
    IndexMap larger = {.capacity = map->capacity ? map->capacity * 2 : 16};

    larger.hashes = arena_array_raw(arena, uint64_t, larger.capacity);
    larger.values = arena_array_raw(arena, uint32_t, larger.capacity);
    memset(larger.values, 0xff, sizeof *larger.values * larger.capacity);
    for (uint32_t i = 0; i < map->capacity; i++) {
        if (map->values[i] != INDEX_NONE)
            insert(&larger, map->hashes[i], map->values[i]);
    }
    *map = larger;
}

void index_map_add(Arena *arena, IndexMap *map, uint64_t hash, uint32_t value) {
    if ((uint64_t)(map->count + 1) * 4 > (uint64_t)map->capacity * 3)
        grow(arena, map);
    insert(map, hash, value);
}

uint32_t u64_map_get(const IndexMap *map, uint64_t key) {
    uint32_t cursor = 0;

    return index_map_next(map, key, &cursor);
}

// The slot of the key, or the free slot at which its search ends; capacity when there is none.
static uint32_t find_slot(const IndexMap *map, uint64_t key) {
    uint32_t mask = map->capacity - 1;

    for (uint32_t i = 0, start = map->capacity ? slot_of(map, key) : 0; i < map->capacity; i++) {
        uint32_t slot = (start + i) & mask;

        if (map->values[slot] == INDEX_NONE || map->hashes[slot] == key)
            return slot;
    }
    return map->capacity;
}

void u64_map_put(Arena *arena, IndexMap *map, uint64_t key, uint32_t value) {
    uint32_t slot = find_slot(map, key);

    if (value == INDEX_NONE)
        u64_map_remove(map, key);
    else if (slot < map->capacity && map->values[slot] != INDEX_NONE)
        map->values[slot] = value;
    else
        index_map_add(arena, map, key, value);
}

// Entries after the gap move into it, unless their own search starts between the gap and themselves.
void u64_map_remove(IndexMap *map, uint64_t key) {
    uint32_t mask = map->capacity - 1, gap = find_slot(map, key);

    if (gap == map->capacity || map->values[gap] == INDEX_NONE)
        return;
    for (uint32_t slot = (gap + 1) & mask; map->values[slot] != INDEX_NONE; slot = (slot + 1) & mask) {
        uint32_t home = slot_of(map, map->hashes[slot]);

        if (((slot - home) & mask) < ((slot - gap) & mask))
            continue;
        map->hashes[gap] = map->hashes[slot];
        map->values[gap] = map->values[slot];
        gap = slot;
    }
    map->values[gap] = INDEX_NONE;
    map->count--;
}
