// Parsing quantities. Digits are kept as text until their places are known, so no length of input costs precision.
#include "text/quantity.h"

#include "text/quantity_read.h"
#include "text/quote.h"

typedef struct {
    char text[3];
    Notation notation;
    int8_t exponent;
} Suffix;

static const Suffix suffixes[] = {
    {"", NOTATION_DECIMAL, 0},   {"n", NOTATION_DECIMAL, -9}, {"u", NOTATION_DECIMAL, -6}, {"m", NOTATION_DECIMAL, -3},
    {"k", NOTATION_DECIMAL, 3},  {"M", NOTATION_DECIMAL, 6},  {"G", NOTATION_DECIMAL, 9},  {"T", NOTATION_DECIMAL, 12},
    {"P", NOTATION_DECIMAL, 15}, {"E", NOTATION_DECIMAL, 18}, {"Ki", NOTATION_BINARY, 10}, {"Mi", NOTATION_BINARY, 20},
    {"Gi", NOTATION_BINARY, 30}, {"Ti", NOTATION_BINARY, 40}, {"Pi", NOTATION_BINARY, 50}, {"Ei", NOTATION_BINARY, 60},
};

static bool read_suffix(Slice text, QuantityText *quantity) {
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        if (slice_eq_text(text, suffixes[i].text)) {
            quantity->notation = suffixes[i].notation;
            quantity->exponent = suffixes[i].exponent;
            return true;
        }
    }
    quantity->notation = NOTATION_EXPONENT;
    return (text.ptr[0] == 'e' || text.ptr[0] == 'E') &&
           decimal_read_exponent(slice_from(text, 1), &quantity->exponent);
}

ErrCode quantity_read(Slice text, QuantityText *ret_quantity, Err *err) {
    QuantityText quantity = {.negative = text.len && text.ptr[0] == '-'};
    Slice rest = slice_from(text, text.len && (text.ptr[0] == '-' || text.ptr[0] == '+'));
    size_t taken = decimal_read(rest, &quantity.number);

    if (!taken || !read_suffix(slice_from(rest, taken), &quantity))
        return err_set(err, ERR_INVALID, "expected a quantity such as 500m, 2, 1.5Gi or 1e3, got %s", quote(text).text);
    *ret_quantity = quantity;
    return OK;
}

// Number of digits of a fraction that can change the integer part of fraction × factor: beyond the number of prime
// factors 2 and 5 of the factor, further digits cannot reach the next integer; they only make the result inexact.
enum { FRACTION_DIGITS_MAX = 80 };

// fraction × factor, rounded up. Long multiplication in base 10 from the last digit to the first: x is the integer part
// of what the digits after the current one contribute, which is less than `factor`.
static Magnitude fraction_scale_up(Slice fraction, Magnitude factor) {
    bool exact = true;
    Magnitude x = 0;

    for (size_t i = FRACTION_DIGITS_MAX; i < fraction.len && exact; i++)
        exact = fraction.ptr[i] == '0';
    for (size_t i = slice_first(fraction, FRACTION_DIGITS_MAX).len; i > 0; i--) {
        x += factor * (unsigned)(fraction.ptr[i - 1] - '0');
        exact = exact && x % 10 == 0;
        x /= 10;
    }
    return exact ? x : x + 1;
}

static bool magnitude_binary(const QuantityText *quantity, unsigned places, Magnitude *ret_magnitude) {
    Decimal whole = {quantity->number.whole, slice_first(quantity->number.whole, 0)};
    Magnitude factor = (Magnitude)1 << quantity->exponent, units, magnitude;
    bool exact;

    for (unsigned i = 0; i < places; i++)
        factor *= 10;
    if (!decimal_scale(&whole, 0, &units, &exact) || __builtin_mul_overflow(units, factor, &magnitude))
        return false;
    return !__builtin_add_overflow(magnitude, fraction_scale_up(quantity->number.fraction, factor), ret_magnitude);
}

bool quantity_magnitude(const QuantityText *quantity, unsigned places, Magnitude limit, Magnitude *ret_magnitude) {
    Magnitude magnitude;
    bool exact = true;

    if (quantity->notation == NOTATION_BINARY) {
        if (!magnitude_binary(quantity, places, &magnitude))
            return false;
    } else if (!decimal_scale(&quantity->number, quantity->exponent + places, &magnitude, &exact)) {
        return false;
    }
    magnitude += !exact;
    if (magnitude > limit)
        return false;
    *ret_magnitude = magnitude;
    return true;
}

ErrCode quantity_parse(Slice text, QuantityScale scale, int64_t *ret_value, Err *err) {
    QuantityText quantity;
    Magnitude magnitude;

    TRY(quantity_read(text, &quantity, err));
    if (!quantity_magnitude(&quantity, scale == QUANTITY_MILLI ? 3 : 0, INT64_MAX, &magnitude)) {
        return err_set(err, ERR_RANGE, "quantity %s is too large: at most %s", quote(text).text,
                       scale == QUANTITY_MILLI ? "9223372036854775807m" : "9223372036854775807");
    }
    *ret_value = quantity.negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return OK;
}
