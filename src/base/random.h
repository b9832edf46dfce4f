// Random: seeded random numbers (xoshiro256**). The same seed gives the same numbers on every machine. Not for secrets.
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint64_t state[4];
} Random;

void random_seed(Random *random, uint64_t seed);
uint64_t random_u64(Random *random);
// Uniform in [0, bound); bound > 0.
uint32_t random_below(Random *random, uint32_t bound);
// True with probability percent/100.
bool random_chance(Random *random, uint32_t percent);
