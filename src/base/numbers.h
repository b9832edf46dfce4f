// Small functions on integers.
#pragma once

#include <stdint.h>

// For qsort: ascending.
static inline int u32_compare(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static inline int i64_compare(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

// The greatest common divisor; of 0 and n: n. Neither is negative.
static inline int64_t i64_gcd(int64_t a, int64_t b) {
    while (b) {
        int64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}
