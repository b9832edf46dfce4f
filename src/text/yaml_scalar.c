// Resolving scalars: the rules of go-yaml v2's resolve.go, in its order.
#include "text/yaml_scalar.h"

#include "text/quote.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <yaml.h>

// Types that differ by tag but not in JSON.
typedef enum { SCALAR_NULL, SCALAR_BOOL, SCALAR_INT, SCALAR_FLOAT, SCALAR_STRING } ScalarType;

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
static const char *const not_finite[] = {".nan",  ".NaN",  ".NAN",  ".inf",  ".Inf",  ".INF", "+.inf",
                                         "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF", NULL};
enum { WORD_MAX = 5 }; // the longest of these words

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool may_be_number(Slice text) {
    return text.len && (is_digit(text.ptr[0]) || text.ptr[0] == '-' || text.ptr[0] == '+' || text.ptr[0] == '.');
}

// --- integers: strconv.ParseInt and ParseUint with base 0

static int digit_value(char c) {
    if (is_digit(c))
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'z' ? c - 'a' + 10 : 99;
}

// Removes "0x", "0b", "0o" or "0" from the digits and returns the base.
static int take_base(Slice *digits) {
    char letter = digits->len >= 3 ? digits->ptr[1] | 0x20 : 0;
    int base = letter == 'x' ? 16 : letter == 'b' ? 2 : letter == 'o' ? 8 : 0;

    if (digits->ptr[0] != '0' || digits->len == 1)
        return 10;
    *digits = slice_from(*digits, base ? 2 : 1);
    return base ? base : 8;
}

static bool parse_int(Arena *arena, Slice text, Value *ret_value) {
    bool negative = text.ptr[0] == '-', is_signed = negative || text.ptr[0] == '+';
    uint64_t limit = negative ? (uint64_t)INT64_MAX + 1 : is_signed ? INT64_MAX : UINT64_MAX, number = 0;
    Slice digits = slice_from(text, is_signed);
    int base;

    if (!digits.len)
        return false;
    base = take_base(&digits);
    for (size_t i = 0; i < digits.len; i++) {
        int digit = digit_value(digits.ptr[i]);

        if (digit >= base || __builtin_mul_overflow(number, (uint64_t)base, &number) ||
            __builtin_add_overflow(number, (uint64_t)digit, &number))
            return false;
    }
    if (number > limit)
        return false;
    *ret_value = (Value){
        .kind = VALUE_NUMBER,
        .text = arena_printf(arena, "%s%llu", negative && number ? "-" : "", (unsigned long long)number),
    };
    return true;
}

// --- floats

static size_t skip_digits(Slice text, size_t at) {
    while (at < text.len && is_digit(text.ptr[at]))
        at++;
    return at;
}

// Whether the text matches [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?
static bool is_float(Slice text) {
    size_t start = text.len && (text.ptr[0] == '-' || text.ptr[0] == '+'), at = skip_digits(text, start);
    bool whole = at > start;

    if (at < text.len && text.ptr[at] == '.') {
        size_t end = skip_digits(text, at + 1);

        if (!whole && end == at + 1)
            return false;
        at = end;
    } else if (!whole) {
        return false;
    }
    if (at < text.len && (text.ptr[at] == 'e' || text.ptr[at] == 'E')) {
        size_t digits = at + 1 + (at + 1 < text.len && (text.ptr[at + 1] == '+' || text.ptr[at + 1] == '-'));

        at = skip_digits(text, digits);
        if (at == digits)
            return false;
    }
    return at == text.len;
}

// The text without '_'; NUL-terminated.
static Slice without_underscores(Arena *arena, Slice text) {
    char *copy = arena_alloc_raw(arena, text.len + 1);
    size_t len = 0;

    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] != '_')
            copy[len++] = text.ptr[i];
    }
    copy[len] = 0;
    return (Slice){copy, len};
}

// Whether every '_' is between digits, as Go's strconv.ParseFloat demands of texts that begin with a point.
static bool underscores_fit(Slice text) {
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '_' &&
            (i == 0 || !is_digit(text.ptr[i - 1]) || i + 1 == text.len || !is_digit(text.ptr[i + 1])))
            return false;
    }
    return true;
}

static ScalarType resolve_number(Arena *arena, Slice text, Value *value) {
    ArenaMark mark = arena_mark(arena);
    Slice plain = without_underscores(arena, text);
    double number;

    if (text.ptr[0] != '.' && parse_int(arena, plain, value))
        return SCALAR_INT;
    if (is_float(plain) && (text.ptr[0] != '.' || underscores_fit(text))) {
        number = strtod(plain.ptr, NULL);
        arena_rewind(arena, mark);
        if (!isfinite(number))
            return SCALAR_STRING;
        *value = value_real(arena, number);
        return SCALAR_FLOAT;
    }
    arena_rewind(arena, mark);
    return SCALAR_STRING;
}

// --- all types

// *ret_value is already set to the string.
static ScalarType resolve(Arena *arena, Slice text, Value *value) {
    if (text.len <= WORD_MAX) {
        if (is_one_of(text, nulls)) {
            *value = value_null();
            return SCALAR_NULL;
        }
        if (is_one_of(text, trues) || is_one_of(text, falses)) {
            *value = value_bool(is_one_of(text, trues));
            return SCALAR_BOOL;
        }
        if (is_one_of(text, not_finite))
            return SCALAR_FLOAT;
    }
    return may_be_number(text) ? resolve_number(arena, text, value) : SCALAR_STRING;
}

// The type of a tag; SCALAR_STRING for strings, time stamps and foreign tags, which allow any text.
static ScalarType type_of_tag(const char *tag) {
    static const struct {
        const char *tag;
        ScalarType type;
    } tags[] = {{YAML_NULL_TAG, SCALAR_NULL},
                {YAML_BOOL_TAG, SCALAR_BOOL},
                {YAML_INT_TAG, SCALAR_INT},
                {YAML_FLOAT_TAG, SCALAR_FLOAT}};

    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
        if (strcmp(tag, tags[i].tag) == 0)
            return tags[i].type;
    }
    return SCALAR_STRING;
}

ErrCode yaml_scalar_resolve(Arena *arena, const char *tag, Slice text, Value *ret_value, Err *err) {
    ScalarType wanted = tag ? type_of_tag(tag) : SCALAR_STRING, type;
    Value value = value_string(text);

    if (!tag || wanted != SCALAR_STRING) {
        type = resolve(arena, text, &value);
        if (tag && type != wanted && !(type == SCALAR_INT && wanted == SCALAR_FLOAT))
            return err_set(err, ERR_INVALID, "%s is not what its tag !!%s says", quote(text).text,
                           strrchr(tag, ':') + 1);
        if (type == SCALAR_FLOAT && value.kind == VALUE_STRING)
            return err_set(err, ERR_INVALID, "%.*s is no number that JSON can say; quote it to mean the text",
                           SLICE_ARG(text));
    }
    *ret_value = value;
    return OK;
}

// Formats like Go's strconv.FormatFloat(number, 'g', -1, 32). Integers written as floats (1e6) are not distinguished.
Slice yaml_number_key(Arena *arena, Slice number) {
    float key;
    char text[32];
    int precision = 0, exponent;

    if (slice_find(number, '.') < 0 && slice_find(number, 'e') < 0)
        return number;
    key = strtof(arena_text(arena, number), NULL);
    if (!isfinite(key))
        return key < 0 ? SLICE("-.inf") : SLICE(".inf");
    do
        snprintf(text, sizeof text, "%.*e", precision, (double)key);
    while (strtof(text, NULL) != key && ++precision < FLT_DECIMAL_DIG);
    exponent = atoi(strchr(text, 'e') + 1);
    if (exponent < -4 || exponent >= 6)
        return arena_slice(arena, slice_of(text));
    return arena_printf(arena, "%.*f", precision > exponent ? precision - exponent : 0, (double)key);
}

// --- printing

// Whether the unquoted text would be read as something other than a string, also by readers of YAML 1.1 that know the
// time stamps ("2026-11-21") and sexagesimal numbers ("1:20") which Kubernetes' reader ignores.
static bool resolves_to_other(Slice text) {
    Arena scratch = {0};
    Value value = value_string(text);
    bool other;

    if (!may_be_number(text))
        return text.len <= WORD_MAX && resolve(&scratch, text, &value) != SCALAR_STRING;
    if (slice_find(text, ':') > 0 || (slice_find(text, '-') == 4 && is_digit(text.ptr[0])))
        return true;
    other = resolve(&scratch, text, &value) != SCALAR_STRING;
    arena_free(&scratch);
    return other;
}

// Whether a dash at the start is more than a character: that of a list or of a document.
static bool starts_with_dash_of_syntax(Slice text) {
    return text.len && text.ptr[0] == '-' &&
           (text.len == 1 || text.ptr[1] == ' ' || slice_starts_with(text, SLICE("---")));
}

bool yaml_scalar_needs_quotes(Slice text) {
    static const char indicators[] = "?:,[]{}#&*!|>'\"%@`= ";

    if (!text.len || starts_with_dash_of_syntax(text) || memchr(indicators, text.ptr[0], sizeof indicators - 1) ||
        slice_eq(text, SLICE("<<")) || slice_starts_with(text, SLICE("...")) || slice_ends_with(text, SLICE(" ")) ||
        slice_ends_with(text, SLICE(":")) || slice_contains(text, SLICE(": ")) || slice_contains(text, SLICE(" #")))
        return true;
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.ptr[i] < 0x20 || (unsigned char)text.ptr[i] >= 0x7f)
            return true;
    }
    return resolves_to_other(text);
}
