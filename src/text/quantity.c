// Quantities by digit-string arithmetic: exact for any number of digits.
#include "text/quantity.h"

#include <stdio.h>

// A quantity taken apart: sign, digits with a decimal point, and what to multiply by.
typedef struct {
    bool negative;
    Slice whole, fraction; // digits before and after the point
    int32_t power_of_ten;  // decimal suffix or exponent, clamped
    int32_t power_of_1024; // binary suffix
    QuantityFormat format;
    bool exponent; // written with e or E
} Parts;

enum { POWER_MAX = 100000 };

static ErrCode complain(Slice text, Err *err) {
    return err_set(err, ERR_INVALID, "expected a quantity such as 250m, 2 or 1.5Gi, got \"%.*s%s\"",
                   (int)(text.len < 40 ? text.len : 40), text.ptr, text.len > 40 ? "…" : "");
}

static Slice take_digits(Slice *text) {
    size_t len = 0;
    Slice digits;

    while (len < text->len && text->ptr[len] >= '0' && text->ptr[len] <= '9')
        len++;
    digits = slice_first(*text, len);
    *text = slice_from(*text, len);
    return digits;
}

// "e3", "E-2" after the digits; false when it is no exponent.
static bool parse_exponent(Slice suffix, Parts *parts) {
    bool negative = suffix.len > 1 && suffix.ptr[1] == '-';
    Slice rest = slice_from(suffix, suffix.len > 1 && (negative || suffix.ptr[1] == '+') ? 2 : 1), digits;
    int32_t power = 0;

    digits = take_digits(&rest);
    if (!digits.len || rest.len)
        return false;
    for (size_t i = 0; i < digits.len && power < POWER_MAX; i++)
        power = power * 10 + (digits.ptr[i] - '0');
    parts->power_of_ten = negative ? -power : power;
    parts->exponent = true;
    return true;
}

static bool parse_suffix(Slice suffix, Parts *parts) {
    static const char binary[] = "KMGTPE";
    static const struct {
        char letter;
        int power;
    } decimal[] = {{'n', -9}, {'u', -6}, {'m', -3}, {'k', 3}, {'M', 6}, {'G', 9}, {'T', 12}, {'P', 15}, {'E', 18}};

    if (suffix.len == 0)
        return true;
    if (suffix.len == 2 && suffix.ptr[1] == 'i') {
        for (int i = 0; binary[i]; i++) {
            if (suffix.ptr[0] == binary[i]) {
                parts->power_of_1024 = i + 1;
                parts->format = QUANTITY_BINARY;
                return true;
            }
        }
        return false;
    }
    if (suffix.len == 1) {
        for (size_t i = 0; i < sizeof decimal / sizeof *decimal; i++) {
            if (suffix.ptr[0] == decimal[i].letter) {
                parts->power_of_ten = decimal[i].power;
                return true;
            }
        }
        return false;
    }
    return (suffix.ptr[0] == 'e' || suffix.ptr[0] == 'E') && parse_exponent(suffix, parts);
}

static bool take_apart(Slice text, Parts *ret_parts) {
    Parts parts = {.format = QUANTITY_DECIMAL};

    if (text.len && (text.ptr[0] == '+' || text.ptr[0] == '-')) {
        parts.negative = text.ptr[0] == '-';
        text = slice_from(text, 1);
    }
    parts.whole = take_digits(&text);
    if (text.len && text.ptr[0] == '.') {
        text = slice_from(text, 1);
        parts.fraction = take_digits(&text);
    }
    if (!parts.whole.len && !parts.fraction.len)
        return false;
    if (!parse_suffix(text, &parts))
        return false;
    *ret_parts = parts;
    return true;
}

// The i-th digit of whole and fraction together.
static int digit_at(const Parts *parts, size_t i) {
    return (i < parts->whole.len ? parts->whole.ptr[i] : parts->fraction.ptr[i - parts->whole.len]) - '0';
}

typedef unsigned __int128 Wide;

// |parts| * 10^shift, times 1024^n, rounded up. False: over 63 bits. Digits beyond the unit are kept as a fraction
// over a power of ten only while they can matter.
static bool evaluate(const Parts *parts, int32_t shift, int64_t *ret_value) {
    // Digits left of the point after shifting; the others are the fraction.
    int64_t point = (int64_t)parts->whole.len + parts->power_of_ten + shift;
    size_t total = parts->whole.len + parts->fraction.len;
    int bits = 10 * parts->power_of_1024;
    Wide whole = 0, limit = (Wide)INT64_MAX >> bits;
    bool inexact = false;
    Wide carry = 0;

    for (size_t i = 0; i < total && (int64_t)i < point; i++) {
        whole = whole * 10 + (Wide)digit_at(parts, i);
        if (whole > limit)
            return false;
    }
    for (int64_t i = (int64_t)total; i < point && whole; i++) {
        whole *= 10;
        if (whole > limit)
            return false;
    }
    // fraction * 1024^n: long multiplication from the last digit, carrying into the whole part.
    for (int64_t i = (int64_t)total; i-- > (point > 0 ? point : 0);) {
        Wide product = ((Wide)digit_at(parts, (size_t)i) << bits) + carry;

        inexact |= product % 10 != 0;
        carry = product / 10;
    }
    for (int64_t i = point; i < 0 && carry; i++) { // zeros between the point and the first digit
        inexact |= carry % 10 != 0;
        carry /= 10;
    }
    whole = (whole << bits) + carry + inexact;
    if (whole > INT64_MAX)
        return false;
    *ret_value = (int64_t)whole;
    return true;
}

ErrCode quantity_parse(Slice text, QuantityScale scale, int64_t *ret_value, Err *err) {
    int64_t value;
    Parts parts;

    if (!take_apart(text, &parts))
        return complain(text, err);
    if (!evaluate(&parts, scale == QUANTITY_MILLI ? 3 : 0, &value))
        return err_set(err, ERR_RANGE, "quantity \"%.*s%s\" is too large", (int)(text.len < 40 ? text.len : 40),
                       text.ptr, text.len > 40 ? "…" : "");
    *ret_value = parts.negative ? -value : value;
    return OK;
}

static Slice print_scaled(Arena *arena, int64_t value, int base, const char *const *suffixes, int at, int last) {
    while (at < last && value != 0 && value % base == 0) {
        value /= base;
        at++;
    }
    return arena_printf(arena, "%lld%s", (long long)value, suffixes[at]);
}

Slice quantity_print(Arena *arena, int64_t value, QuantityScale scale, QuantityFormat format) {
    static const char *const decimal[] = {"n", "u", "m", "", "k", "M", "G", "T", "P", "E"};
    static const char *const binary[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};

    if (value == 0)
        return arena_slice(arena, SLICE("0"));
    if (format == QUANTITY_BINARY && scale == QUANTITY_MILLI && value % 1000 == 0)
        return quantity_print(arena, value / 1000, QUANTITY_UNIT, format);
    if (format == QUANTITY_BINARY && scale == QUANTITY_UNIT)
        return print_scaled(arena, value, 1024, binary, 0, 6);
    return print_scaled(arena, value, 1000, decimal, scale == QUANTITY_MILLI ? 2 : 3, 9);
}

ErrCode quantity_canonical(Arena *arena, Slice text, Slice *ret_text, Err *err) {
    static const char *const decimal[] = {"n", "u", "m", "", "k", "M", "G", "T", "P", "E"};
    Parts parts;
    int64_t value;

    if (!take_apart(text, &parts))
        return complain(text, err);
    if (parts.format == QUANTITY_BINARY && evaluate(&parts, 0, &value)) {
        Parts milli = parts;
        int64_t exact;

        if (evaluate(&milli, 3, &exact) && exact == value * 1000) {
            *ret_text = quantity_print(arena, parts.negative ? -value : value, QUANTITY_UNIT, QUANTITY_BINARY);
            return OK;
        }
    }
    if (evaluate(&parts, 9, &value)) { // nano is the finest that Kubernetes keeps
        *ret_text = value == 0 ? arena_slice(arena, SLICE("0"))
                               : print_scaled(arena, parts.negative ? -value : value, 1000, decimal, 0, 9);
        return OK;
    }
    if (evaluate(&parts, 0, &value)) {
        *ret_text = quantity_print(arena, parts.negative ? -value : value, QUANTITY_UNIT, QUANTITY_DECIMAL);
        return OK;
    }
    return err_set(err, ERR_RANGE, "quantity \"%.*s\" is too large", (int)(text.len < 40 ? text.len : 40), text.ptr);
}
