// xoshiro256** by Blackman and Vigna, seeded by splitmix64.
#include "base/random.h"

#include "base/check.h"

static uint64_t rotate_left(uint64_t x, int by) {
    return x << by | x >> (64 - by);
}

void random_seed(Random *random, uint64_t seed) {
    for (int i = 0; i < 4; i++) {
        uint64_t z = seed += 0x9e3779b97f4a7c15u;

        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        random->state[i] = z ^ z >> 31;
    }
}

uint64_t random_u64(Random *random) {
    uint64_t *s = random->state;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9, shifted = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate_left(s[3], 45);
    return result;
}

uint32_t random_below(Random *random, uint32_t bound) {
    CHECK(bound > 0);
    return (uint32_t)((random_u64(random) >> 32) * bound >> 32);
}

bool random_chance(Random *random, uint32_t percent) {
    return random_below(random, 100) < percent;
}
