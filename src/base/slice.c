// Slice helpers that do not fit inline.
#include "base/slice.h"

#include <xxhash.h>

bool slice_to_int64(Slice s, int64_t *ret_value) {
    bool negative = s.len > 0 && s.ptr[0] == '-';
    int64_t value = 0;

    if (s.len == (size_t)negative)
        return false;
    for (size_t i = negative; i < s.len; i++) {
        int digit = s.ptr[i] - '0';

        if (digit < 0 || digit > 9 || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_sub_overflow(value, digit, &value)) // negative, since INT64_MIN has no positive counterpart
            return false;
    }
    if (!negative && __builtin_sub_overflow((int64_t)0, value, &value))
        return false;
    *ret_value = value;
    return true;
}

uint64_t slice_hash(Slice s) {
    return XXH3_64bits(s.ptr, s.len);
}
