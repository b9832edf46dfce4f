// Scaling by counting digits: after dropping leading zeros, the number of digits before the (shifted) point says
// whether the result fits, before any digit is multiplied.
#include "text/decimal.h"

enum { DIGITS_MAX = 38 }; // 10^38 < 2^127
static const int64_t EXPONENT_LIMIT = 1000000000000000;

static size_t digits_len(Slice text) {
    size_t len = 0;

    while (len < text.len && text.ptr[len] >= '0' && text.ptr[len] <= '9')
        len++;
    return len;
}

size_t decimal_read(Slice text, Decimal *ret_decimal) {
    Decimal decimal = {.whole = slice_first(text, digits_len(text)), .fraction = slice_first(text, 0)};
    size_t at = decimal.whole.len;

    if (at < text.len && text.ptr[at] == '.') {
        decimal.fraction = slice_first(slice_from(text, at + 1), digits_len(slice_from(text, at + 1)));
        at += 1 + decimal.fraction.len;
    }
    if (decimal.whole.len + decimal.fraction.len == 0)
        return 0;
    *ret_decimal = decimal;
    return at;
}

static size_t zeros_len(Slice digits) {
    size_t len = 0;

    while (len < digits.len && digits.ptr[len] == '0')
        len++;
    return len;
}

// The digit at position `place` of whole ++ fraction; 0 beyond its end.
static unsigned digit_at(const Decimal *decimal, size_t place) {
    if (place < decimal->whole.len)
        return (unsigned)(decimal->whole.ptr[place] - '0');
    place -= decimal->whole.len;
    return place < decimal->fraction.len ? (unsigned)(decimal->fraction.ptr[place] - '0') : 0;
}

static bool all_zero_from(const Decimal *decimal, size_t place) {
    Slice whole = slice_from(decimal->whole, place);
    Slice fraction =
        place > decimal->whole.len ? slice_from(decimal->fraction, place - decimal->whole.len) : decimal->fraction;

    return zeros_len(whole) == whole.len && zeros_len(fraction) == fraction.len;
}

bool decimal_scale(const Decimal *decimal, int64_t exponent, Magnitude *ret_magnitude, bool *ret_exact) {
    size_t first = zeros_len(decimal->whole), end;
    int64_t digits; // of the result
    Magnitude magnitude = 0;

    if (first == decimal->whole.len)
        first += zeros_len(decimal->fraction);
    if (first == decimal->whole.len + decimal->fraction.len) {
        *ret_magnitude = 0;
        *ret_exact = true;
        return true;
    }
    digits = (int64_t)decimal->whole.len - (int64_t)first + exponent;
    if (digits > DIGITS_MAX)
        return false;
    end = digits > 0 ? first + (size_t)digits : first;
    for (size_t place = first; place < end; place++)
        magnitude = magnitude * 10 + digit_at(decimal, place);
    *ret_magnitude = magnitude;
    *ret_exact = digits >= 0 ? all_zero_from(decimal, end) : false;
    return true;
}

bool decimal_read_exponent(Slice text, int64_t *ret_exponent) {
    bool negative = text.len && text.ptr[0] == '-';
    Slice digits = slice_from(text, text.len && (text.ptr[0] == '-' || text.ptr[0] == '+'));
    int64_t exponent = 0;

    if (digits.len == 0 || digits_len(digits) != digits.len)
        return false;
    for (size_t i = 0; i < digits.len && exponent < EXPONENT_LIMIT; i++)
        exponent = exponent * 10 + (digits.ptr[i] - '0');
    if (exponent > EXPONENT_LIMIT)
        exponent = EXPONENT_LIMIT;
    *ret_exponent = negative ? -exponent : exponent;
    return true;
}
