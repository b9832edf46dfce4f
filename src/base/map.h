// IndexMap: a hash index from the hash of a key to the number of an element in an array of the caller.
//
// The caller compares keys: index_map_next steps through the candidates of one hash. {0} is a valid empty map. It grows
// in its arena (the old table stays there until the arena is freed). Open addressing, linear probing, at most 3/4 full.
#pragma once

#include "base/arena.h"

enum { INDEX_NONE = UINT32_MAX };

typedef struct {
    uint64_t *hashes;
    uint32_t *values; // INDEX_NONE: free slot
    uint32_t capacity, count;
} IndexMap;

// Steps through the values stored under `hash`. Start with *cursor = 0; INDEX_NONE at the end. O(1) expected.
uint32_t index_map_next(const IndexMap *map, uint64_t hash, uint32_t *cursor);

// Adds (no check for an equal key). O(1) amortised.
void index_map_add(Arena *arena, IndexMap *map, uint64_t hash, uint32_t value);

// A map from 64-bit keys to 32-bit values, on the same table. INDEX_NONE: absent.
uint32_t u64_map_get(const IndexMap *map, uint64_t key);
// Putting INDEX_NONE removes the key, as u64_map_remove does. O(1) expected.
void u64_map_put(Arena *arena, IndexMap *map, uint64_t key, uint32_t value);
void u64_map_remove(IndexMap *map, uint64_t key);

// Mixes the bits of a 64-bit number (splitmix64's finisher); combines two hashes.
static inline uint64_t hash_u64(uint64_t x) {
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static inline uint64_t hash_combine(uint64_t seed, uint64_t value) {
    return hash_u64(seed ^ (value + 0x9e3779b97f4a7c15u + (seed << 6) + (seed >> 2)));
}
