// Resolving plain scalars.
#include "text/yaml_scalar.h"

#include <stdlib.h>

static bool is_one_of(Slice text, const char *const *words) {
    for (; *words; words++) {
        if (slice_eq_text(text, *words))
            return true;
    }
    return false;
}

static const char *const nulls[] = {"", "~", "null", "Null", "NULL", NULL};
static const char *const trues[] = {"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON", NULL};
static const char *const falses[] = {"n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF", NULL};
static const char *const not_numbers[] = {".nan",  ".NaN",  ".NAN",  ".inf",  ".Inf",  ".INF", "+.inf",
                                          "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF", NULL};

// The text without '_' and without a leading '+'.
static Slice plain_digits(Arena *arena, Slice text) {
    char *copy = arena_alloc(arena, text.len + 1);
    size_t len = 0;

    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] != '_' && !(i == 0 && text.ptr[i] == '+'))
            copy[len++] = text.ptr[i];
    }
    return (Slice){copy, len};
}

static bool all_digits(Slice text, int base) {
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : 99;

        if (digit >= base)
            return false;
    }
    return text.len > 0;
}

// 0x1f, 0b101, 0o17 and 017.
static bool parse_based(Arena *arena, Slice text, Value *ret_value) {
    bool negative = text.len && text.ptr[0] == '-';
    Slice digits = slice_from(text, negative);
    int base = 0;
    unsigned long long number;

    if (digits.len < 2 || digits.ptr[0] != '0')
        return false;
    switch (digits.ptr[1]) {
    case 'x':
        base = 16;
        break;
    case 'b':
        base = 2;
        break;
    case 'o':
        base = 8;
        break;
    default:
        if (!all_digits(digits, 8))
            return false;
        base = 8;
        digits = slice_from(digits, 1);
    }
    if (base != 8 || digits.ptr[0] == 'o')
        digits = slice_from(digits, digits.ptr[0] == 'o' ? 1 : 2);
    if (digits.len && digits.ptr[0] == 'o')
        digits = slice_from(digits, 1);
    if (!all_digits(digits, base) || digits.len > 22)
        return false;
    number = strtoull(arena_text(arena, digits), NULL, base);
    *ret_value =
        (Value){.kind = VALUE_NUMBER, .text = arena_printf(arena, "%s%llu", negative && number ? "-" : "", number)};
    return true;
}

static size_t skip_digits(Slice text, size_t at) {
    while (at < text.len && text.ptr[at] >= '0' && text.ptr[at] <= '9')
        at++;
    return at;
}

// [-](digits[.digits] | .digits)[e[+-]digits], written so that JSON takes it.
static bool parse_decimal(Arena *arena, Slice text, Value *ret_value) {
    bool negative = text.len && text.ptr[0] == '-';
    size_t start = negative, whole_end = skip_digits(text, start), fraction_end = whole_end, end;
    Slice whole = {text.ptr + start, whole_end - start}, fraction = {0}, exponent;

    if (whole_end < text.len && text.ptr[whole_end] == '.') {
        fraction_end = skip_digits(text, whole_end + 1);
        fraction = (Slice){text.ptr + whole_end + 1, fraction_end - whole_end - 1};
    }
    if (!whole.len && !fraction.len)
        return false;
    end = fraction_end;
    if (end < text.len && (text.ptr[end] == 'e' || text.ptr[end] == 'E')) {
        size_t digits = end + 1 + (end + 1 < text.len && (text.ptr[end + 1] == '+' || text.ptr[end + 1] == '-'));

        end = skip_digits(text, digits);
        if (end == digits)
            return false;
    }
    if (end != text.len)
        return false;
    exponent = slice_from(text, fraction_end);
    while (whole.len > 1 && whole.ptr[0] == '0') // only before a point or an exponent: 017 is octal
        whole = slice_from(whole, 1);
    *ret_value = (Value){.kind = VALUE_NUMBER,
                         .text = arena_printf(arena, "%s%.*s%s%.*s%.*s", negative ? "-" : "",
                                              whole.len ? (int)whole.len : 1, whole.len ? whole.ptr : "0",
                                              fraction.len ? "." : "", SLICE_ARG(fraction), SLICE_ARG(exponent))};
    return true;
}

ErrCode yaml_scalar_resolve(Arena *arena, Slice text, Value *ret_value, Err *err) {
    Slice digits;
    char first = text.len ? text.ptr[0] : 0;

    if (is_one_of(text, nulls)) {
        *ret_value = value_null();
        return OK;
    }
    if (text.len <= 5 && (is_one_of(text, trues) || is_one_of(text, falses))) {
        *ret_value = value_bool(is_one_of(text, trues));
        return OK;
    }
    if (text.len <= 5 && is_one_of(text, not_numbers))
        return err_set(err, ERR_INVALID, "%.*s is no number that JSON can say; quote it to mean the text",
                       SLICE_ARG(text));
    *ret_value = value_string(text);
    if (first != '-' && first != '+' && first != '.' && !(first >= '0' && first <= '9'))
        return OK;
    digits = plain_digits(arena, text);
    if (!parse_based(arena, digits, ret_value))
        (void)parse_decimal(arena, digits, ret_value);
    return OK;
}

bool yaml_scalar_needs_quotes(Slice text) {
    static const char indicators[] = "-?:,[]{}#&*!|>'\"%@`= ";
    Arena scratch = {0};
    Value value;
    bool other = true;

    if (text.len && text.len < 256 && yaml_scalar_resolve(&scratch, text, &value, NULL) == OK)
        other = value.kind != VALUE_STRING;
    else if (text.len >= 256)
        other = false;
    arena_free(&scratch);
    if (other || strchr(indicators, text.ptr[0]) || slice_ends_with(text, SLICE(" ")) ||
        slice_ends_with(text, SLICE(":")) || slice_contains(text, SLICE(": ")) || slice_contains(text, SLICE(" #")))
        return true;
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.ptr[i] < 0x20 || (unsigned char)text.ptr[i] >= 0x7f)
            return true;
    }
    // "2026-11-21" and the like: a date to YAML 1.1.
    return text.len >= 8 && text.ptr[0] >= '0' && text.ptr[0] <= '9' && slice_find(text, '-') == 4;
}
