// Access to and construction of trees of Values.
#include "text/value.h"

#include "text/decimal.h"
#include "text/number.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const char *value_kind_text(ValueKind kind) {
    static const char *const texts[] = {"null", "bool", "number", "string", "list", "map"};

    CHECK(kind < sizeof texts / sizeof *texts);
    return texts[kind];
}

const Value *value_get(const Value *value, Slice key) {
    if (!value || value->kind != VALUE_MAP)
        return NULL;
    for (vec_each(const ValueMember, member, &value->map)) {
        if (slice_eq(member->key, key))
            return &member->value;
    }
    return NULL;
}

const Value *value_at(const Value *value, ...) {
    va_list keys;

    va_start(keys, value);
    for (const char *key; value && (key = va_arg(keys, const char *));)
        value = value_get(value, slice_of(key));
    va_end(keys);
    return value;
}

Value value_null(void) {
    return (Value){.kind = VALUE_NULL};
}

Value value_bool(bool boolean) {
    return (Value){.kind = VALUE_BOOL, .boolean = boolean};
}

Value value_int(Arena *arena, int64_t number) {
    return (Value){.kind = VALUE_NUMBER, .text = arena_printf(arena, "%lld", (long long)number)};
}

// digits[0].digits[1]… × 10^exponent
typedef struct {
    char digits[24];
    int count, exponent;
} Shortest;

// The fewest digits, at most 17, that read back as the same double. `number` is not negative.
static Shortest shortest_digits(double number) {
    Shortest result = {.digits = "0", .count = 1};
    char text[40], *end;

    for (int precision = 0; precision < DBL_DECIMAL_DIG; precision++) {
        snprintf(text, sizeof text, "%.*e", precision, number);
        if (strtod(text, &end) == number)
            break;
    }
    end = strchr(text, 'e');
    result.exponent = (int)strtol(end + 1, NULL, 10);
    result.digits[0] = text[0];
    for (const char *at = text + 2; at < end; at++)
        result.digits[result.count++] = *at;
    return result;
}

// Formats like Go's encoding/json: with an exponent below 1e-6 and from 1e21 on.
Value value_real(Arena *arena, double number) {
    const char *sign = signbit(number) ? "-" : "", *digits;
    Shortest shortest;
    int count, exponent;
    Slice text;

    CHECK(isfinite(number), "a number that JSON cannot say");
    shortest = shortest_digits(fabs(number));
    digits = shortest.digits;
    count = shortest.count;
    exponent = shortest.exponent;
    if (number != 0 && (exponent < -6 || exponent >= 21))
        text = arena_printf(arena, "%s%c%s%.*se%+d", sign, digits[0], count > 1 ? "." : "", count - 1, digits + 1,
                            exponent);
    else if (exponent < 0)
        text = arena_printf(arena, "%s0.%.*s%.*s", sign, -exponent - 1, "00000", count, digits);
    else if (count <= exponent + 1)
        text = arena_printf(arena, "%s%.*s%.*s", sign, count, digits, exponent + 1 - count, "00000000000000000000");
    else
        text =
            arena_printf(arena, "%s%.*s.%.*s", sign, exponent + 1, digits, count - exponent - 1, digits + exponent + 1);
    return (Value){.kind = VALUE_NUMBER, .text = text};
}

Value value_string(Slice text) {
    return (Value){.kind = VALUE_STRING, .text = text};
}

Value value_list(void) {
    return (Value){.kind = VALUE_LIST};
}

Value value_map(void) {
    return (Value){.kind = VALUE_MAP};
}

Value *value_append(Arena *arena, Value *list, Value element) {
    CHECK(list->kind == VALUE_LIST, "appending to a %s", value_kind_text(list->kind));
    vec_push(arena, &list->list, element);
    return vec_last(&list->list);
}

Value *value_put(Arena *arena, Value *map, Slice key, Value value) {
    CHECK(map->kind == VALUE_MAP, "putting into a %s", value_kind_text(map->kind));
    for (vec_each(ValueMember, member, &map->map)) {
        if (slice_eq(member->key, key)) {
            member->value = value;
            return &member->value;
        }
    }
    vec_push(arena, &map->map, (ValueMember){.key = key, .value = value});
    return &vec_last(&map->map)->value;
}

bool value_to_int64(const Value *value, int64_t *ret_number) {
    Decimal decimal;
    Magnitude magnitude;
    bool negative, exact;
    int64_t exponent = 0;
    Slice rest;

    if (!value || value->kind != VALUE_NUMBER || !number_is_json(value->text))
        return false;
    negative = value->text.ptr[0] == '-';
    rest = slice_from(value->text, negative);
    rest = slice_from(rest, decimal_read(rest, &decimal));
    if (rest.len && !decimal_read_exponent(slice_from(rest, 1), &exponent))
        return false;
    if (!decimal_scale(&decimal, exponent, &magnitude, &exact) || !exact || magnitude > (Magnitude)INT64_MAX + negative)
        return false;
    *ret_number = negative ? (int64_t) - (uint64_t)magnitude : (int64_t)magnitude;
    return true;
}

bool value_to_double(const Value *value, double *ret_number) {
    Arena scratch = {0};
    double number;

    if (!value || value->kind != VALUE_NUMBER || !number_is_json(value->text))
        return false;
    number = strtod(arena_text(&scratch, value->text), NULL); // tenon never sets LC_NUMERIC
    arena_free(&scratch);
    if (!isfinite(number))
        return false;
    *ret_number = number;
    return true;
}
