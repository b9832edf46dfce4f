// Random UUIDs (RFC 4122, version 4) as text.
#pragma once

#include "base/arena.h"

// Formats 128 random bits, of which six are overwritten: "0f8fad5b-d9cb-469f-a165-70867728950e".
static inline Slice uuid_print(Arena *arena, uint64_t high, uint64_t low) {
    high = (high & ~UINT64_C(0xF000)) | 0x4000;             // version 4: random
    low = (low & ~(UINT64_C(3) << 62)) | UINT64_C(1) << 63; // variant of RFC 4122
    return arena_printf(arena, "%08x-%04x-%04x-%04x-%012llx", (unsigned)(high >> 32), (unsigned)(high >> 16 & 0xFFFF),
                        (unsigned)(high & 0xFFFF), (unsigned)(low >> 48),
                        (unsigned long long)(low & UINT64_C(0xFFFFFFFFFFFF)));
}
