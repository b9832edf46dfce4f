// Decimal numbers of any length, scaled to integers without losing a digit: what quantities and JSON numbers share.
#pragma once

#include "base/slice.h"

typedef unsigned __int128 Magnitude;

// Digits as they stand in the text, without sign, point and exponent. Either part may be empty, not both.
typedef struct {
    Slice whole, fraction;
} Decimal;

// Reads digits with an optional point from the start of `text`. Returns how many bytes it took; 0: no digit there.
size_t decimal_read(Slice text, Decimal *ret_decimal);

// decimal * 10^exponent, cut to an integer; *ret_exact tells whether nothing was cut off. False: 38 digits or more
// do not hold it. O(length).
bool decimal_scale(const Decimal *decimal, int64_t exponent, Magnitude *ret_magnitude, bool *ret_exact);

// Reads an optional sign and digits, the whole of `text`, as an exponent; far beyond any use it stays at ±10^15.
bool decimal_read_exponent(Slice text, int64_t *ret_exponent);
