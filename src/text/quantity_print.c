// Printing quantities in the canonical form of k8s.io/apimachinery: no fraction, and the largest suffix that leaves an
// integer.
#include "base/check.h"
#include "text/quantity_read.h"
#include "text/quote.h"

enum { NANO_PLACES = 9, DIGITS_MAX = 40 };

static const Magnitude NANO = 1000000000;

static Slice print_digits(Arena *arena, bool negative, Magnitude magnitude, const char *suffix) {
    char digits[DIGITS_MAX], *at = digits + sizeof digits;

    do {
        *--at = (char)('0' + (int)(magnitude % 10));
        magnitude /= 10;
    } while (magnitude);
    return arena_printf(arena, "%s%.*s%s", negative ? "-" : "", (int)(digits + sizeof digits - at), at, suffix);
}

// magnitude × 10^exponent; `exponent` is a multiple of three, from -9.
static Slice print_decimal(Arena *arena, bool negative, Magnitude magnitude, int exponent) {
    static const char *const suffixes[] = {"n", "u", "m", "", "k", "M", "G", "T", "P", "E"};

    if (magnitude == 0)
        return arena_slice(arena, SLICE("0"));
    for (; magnitude % 1000 == 0 && exponent < 18; exponent += 3)
        magnitude /= 1000;
    return print_digits(arena, negative, magnitude, suffixes[exponent / 3 + 3]);
}

static Slice print_exponent(Arena *arena, bool negative, Magnitude magnitude, int exponent) {
    char suffix[8] = "";

    if (magnitude == 0)
        return arena_slice(arena, SLICE("0"));
    for (; magnitude % 1000 == 0; exponent += 3)
        magnitude /= 1000;
    if (exponent) {
        Slice text = arena_printf(arena, "e%d", exponent);

        CHECK(text.len < sizeof suffix);
        memcpy(suffix, text.ptr, text.len);
    }
    return print_digits(arena, negative, magnitude, suffix);
}

static Slice print_binary(Arena *arena, bool negative, Magnitude units) {
    static const char *const suffixes[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    unsigned power = 0;

    for (; units && units % 1024 == 0 && power < 6; power++)
        units /= 1024;
    return print_digits(arena, negative, units, suffixes[power]);
}

Slice quantity_print(Arena *arena, int64_t value, QuantityScale scale, QuantityFormat format) {
    bool negative = value < 0;
    Magnitude magnitude = negative ? -(Magnitude)value : (Magnitude)value;
    bool is_whole = scale == QUANTITY_UNIT || magnitude % 1000 == 0;

    if (format == QUANTITY_BINARY && is_whole)
        return print_binary(arena, negative, scale == QUANTITY_UNIT ? magnitude : magnitude / 1000);
    return print_decimal(arena, negative, magnitude, scale == QUANTITY_UNIT ? 0 : -3);
}

// A binary quantity below 1024, or with a fraction, is printed in decimal format, as Go's Quantity does.
ErrCode quantity_canonical(Arena *arena, Slice text, Slice *ret_text, Err *err) {
    QuantityText quantity;
    Magnitude nanos;

    TRY(quantity_read(text, &quantity, err));
    if (!quantity_magnitude(&quantity, NANO_PLACES, (Magnitude)INT64_MAX * NANO, &nanos))
        return err_set(err, ERR_RANGE, "quantity %s is too large: at most 9223372036854775807", quote(text).text);
    if (quantity.notation == NOTATION_EXPONENT)
        *ret_text = print_exponent(arena, quantity.negative, nanos, -NANO_PLACES);
    else if (quantity.notation == NOTATION_BINARY && nanos % NANO == 0 && nanos / NANO >= 1024)
        *ret_text = print_binary(arena, quantity.negative, nanos / NANO);
    else
        *ret_text = print_decimal(arena, quantity.negative, nanos, -NANO_PLACES);
    return OK;
}
