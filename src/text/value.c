// Walking and building trees of Values.
#include "text/value.h"

#include "text/decimal.h"
#include "text/number.h"

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

// 17 digits always read back as the same double; mostly 15 or 16 do.
Value value_real(Arena *arena, double number) {
    char text[32];

    CHECK(isfinite(number), "%f has no place in a document", number);
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        if (strtod(text, NULL) == number)
            break;
    }
    return (Value){.kind = VALUE_NUMBER, .text = arena_slice(arena, slice_of(text))};
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
