// Bitsets as plain arrays of 64-bit words; the caller keeps the number of words.
#pragma once

#include "base/arena.h"

static inline uint32_t bitset_words(uint32_t bits) {
    return (bits + 63) / 64;
}

static inline uint64_t *bitset_new(Arena *arena, uint32_t bits) {
    return arena_array(arena, uint64_t, bitset_words(bits));
}

static inline void bitset_set(uint64_t *set, uint32_t bit) {
    set[bit / 64] |= UINT64_C(1) << bit % 64;
}

static inline void bitset_clear(uint64_t *set, uint32_t bit) {
    set[bit / 64] &= ~(UINT64_C(1) << bit % 64);
}

static inline bool bitset_has(const uint64_t *set, uint32_t bit) {
    return set[bit / 64] >> bit % 64 & 1;
}

// Sets the bits [0, bits), and clears the others of the last word.
static inline void bitset_fill(uint64_t *set, uint32_t bits) {
    for (uint32_t i = 0; i < bitset_words(bits); i++)
        set[i] = bits - i * 64 >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits % 64) - 1;
}

static inline void bitset_copy(uint64_t *to, const uint64_t *from, uint32_t words) {
    memcpy(to, from, words * sizeof *to);
}

static inline bool bitset_is_empty(const uint64_t *set, uint32_t words) {
    for (uint32_t i = 0; i < words; i++) {
        if (set[i])
            return false;
    }
    return true;
}

static inline bool bitset_eq(const uint64_t *a, const uint64_t *b, uint32_t words) {
    return memcmp(a, b, words * sizeof *a) == 0;
}

// to &= from; returns whether any bit is left.
static inline bool bitset_and(uint64_t *to, const uint64_t *from, uint32_t words) {
    uint64_t any = 0;

    for (uint32_t i = 0; i < words; i++)
        any |= to[i] &= from[i];
    return any != 0;
}

static inline void bitset_or(uint64_t *to, const uint64_t *from, uint32_t words) {
    for (uint32_t i = 0; i < words; i++)
        to[i] |= from[i];
}

static inline void bitset_and_not(uint64_t *to, const uint64_t *from, uint32_t words) {
    for (uint32_t i = 0; i < words; i++)
        to[i] &= ~from[i];
}

static inline bool bitset_intersects(const uint64_t *a, const uint64_t *b, uint32_t words) {
    for (uint32_t i = 0; i < words; i++) {
        if (a[i] & b[i])
            return true;
    }
    return false;
}

// Whether every bit of `a` is in `b`.
static inline bool bitset_is_subset(const uint64_t *a, const uint64_t *b, uint32_t words) {
    for (uint32_t i = 0; i < words; i++) {
        if (a[i] & ~b[i])
            return false;
    }
    return true;
}

static inline uint32_t bitset_count(const uint64_t *set, uint32_t words) {
    uint32_t count = 0;

    for (uint32_t i = 0; i < words; i++)
        count += (uint32_t)__builtin_popcountll(set[i]);
    return count;
}

// The lowest bit at or after `from`, or INDEX_NONE (UINT32_MAX).
static inline uint32_t bitset_next(const uint64_t *set, uint32_t words, uint32_t from) {
    for (uint32_t i = from / 64; i < words; i++) {
        uint64_t word = i == from / 64 ? set[i] & ~UINT64_C(0) << from % 64 : set[i];

        if (word)
            return i * 64 + (uint32_t)__builtin_ctzll(word);
    }
    return UINT32_MAX;
}

// for (bitset_each(bit, set, words)) { … }
#define bitset_each(name, set, words)                                                                                  \
    uint32_t name = bitset_next((set), (words), 0);                                                                    \
    name != UINT32_MAX;                                                                                                \
    name = bitset_next((set), (words), name + 1)
