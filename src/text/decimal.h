// Decimal: decimal numbers of any length, scaled to integers without loss; shared by quantities and JSON numbers.
#pragma once

#include "base/slice.h"

typedef unsigned __int128 Magnitude;

// Digits as in the text, without sign, point and exponent. One part may be empty, not both.
typedef struct {
    Slice whole, fraction;
} Decimal;

// Parses digits with an optional point at the start of `text`. Returns the number of bytes; 0: no digit there.
size_t decimal_read(Slice text, Decimal *ret_decimal);

// decimal * 10^exponent, truncated to an integer; *ret_exact: nothing was truncated. False: it does not fit 38 digits.
// O(length).
bool decimal_scale(const Decimal *decimal, int64_t exponent, Magnitude *ret_magnitude, bool *ret_exact);

// Parses all of `text` as an exponent, an optional sign and digits; clamped to ±10^15, which is beyond any use.
bool decimal_read_exponent(Slice text, int64_t *ret_exponent);
