// Reading and building document trees.
#include "text/value.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const char *value_kind_text(ValueKind kind) {
    static const char *const texts[] = {"null", "bool", "number", "string", "list", "map"};

    return texts[kind];
}

const Value *value_get(const Value *value, Slice key) {
    if (!value || value->kind != VALUE_MAP)
        return NULL;
    for (vec_each(ValueMember, member, &value->map)) {
        if (slice_eq(member->key, key))
            return &member->value;
    }
    return NULL;
}

const Value *value_at(const Value *value, ...) {
    va_list keys;
    const char *key;

    va_start(keys, value);
    while (value && (key = va_arg(keys, const char *)))
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

Value value_real(Arena *arena, double number) {
    char text[40];

    CHECK(isfinite(number), "a number that JSON cannot say");
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
    CHECK(list->kind == VALUE_LIST);
    vec_push(arena, &list->list, element);
    return vec_last(&list->list);
}

Value *value_put(Arena *arena, Value *map, Slice key, Value value) {
    CHECK(map->kind == VALUE_MAP);
    for (vec_each(ValueMember, member, &map->map)) {
        if (slice_eq(member->key, key)) {
            member->value = value;
            return &member->value;
        }
    }
    vec_push(arena, &map->map, (ValueMember){.key = key, .value = value});
    return &vec_last(&map->map)->value;
}

bool value_to_double(const Value *value, double *ret_number) {
    char text[64];

    if (value->kind != VALUE_NUMBER || value->text.len >= sizeof text)
        return false;
    memcpy(text, value->text.ptr, value->text.len);
    text[value->text.len] = 0;
    *ret_number = strtod(text, NULL);
    return isfinite(*ret_number);
}

bool value_to_int64(const Value *value, int64_t *ret_number) {
    double number;

    if (value->kind != VALUE_NUMBER)
        return false;
    if (slice_to_int64(value->text, ret_number))
        return true;
    if (!value_to_double(value, &number) || number != floor(number) || fabs(number) >= 9007199254740992.0)
        return false;
    *ret_number = (int64_t)number;
    return true;
}

static bool lists_eq(const Value *a, const Value *b) {
    if (a->list.count != b->list.count)
        return false;
    for (uint32_t i = 0; i < a->list.count; i++) {
        if (!value_eq(&a->list.items[i], &b->list.items[i]))
            return false;
    }
    return true;
}

static bool maps_eq(const Value *a, const Value *b) {
    if (a->map.count != b->map.count)
        return false;
    for (vec_each(ValueMember, member, &a->map)) {
        const Value *other = value_get(b, member->key);

        if (!other || !value_eq(&member->value, other))
            return false;
    }
    return true;
}

bool value_eq(const Value *a, const Value *b) {
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case VALUE_NULL:
        return true;
    case VALUE_BOOL:
        return a->boolean == b->boolean;
    case VALUE_NUMBER:
    case VALUE_STRING:
        return slice_eq(a->text, b->text);
    case VALUE_LIST:
        return lists_eq(a, b);
    default:
        return maps_eq(a, b);
    }
}
