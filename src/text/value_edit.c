// Copies, removal and merge patches of Value trees.
#include "text/value_edit.h"

#include <stdarg.h>
#include <stdlib.h>

static Value copy(Arena *arena, const Value *value, bool texts);

static Value copy_list(Arena *arena, const Value *value, bool texts) {
    Value result = *value;

    result.list.items = arena_array_raw(arena, Value, value->list.count);
    result.list.capacity = value->list.count;
    for (uint32_t i = 0; i < value->list.count; i++)
        result.list.items[i] = copy(arena, &value->list.items[i], texts);
    return result;
}

static Value copy_map(Arena *arena, const Value *value, bool texts) {
    Value result = *value;

    result.map.items = arena_array_raw(arena, ValueMember, value->map.count);
    result.map.capacity = value->map.count;
    for (uint32_t i = 0; i < value->map.count; i++) {
        const ValueMember *member = &value->map.items[i];

        result.map.items[i] = (ValueMember){.key = texts ? arena_slice(arena, member->key) : member->key,
                                            .line = member->line,
                                            .value = copy(arena, &member->value, texts)};
    }
    return result;
}

static Value copy(Arena *arena, const Value *value, bool texts) {
    Value result = *value;

    switch (value->kind) {
    case VALUE_NULL:
    case VALUE_BOOL:
        break;
    case VALUE_NUMBER:
    case VALUE_STRING:
        if (texts)
            result.text = arena_slice(arena, value->text);
        break;
    case VALUE_LIST:
        return copy_list(arena, value, texts);
    case VALUE_MAP:
        return copy_map(arena, value, texts);
    }
    return result;
}

Value value_copy(Arena *arena, const Value *value) {
    return copy(arena, value, true);
}

Value value_copy_tree(Arena *arena, const Value *value) {
    return copy(arena, value, false);
}

Value *value_find(Value *map, Slice key) {
    if (!map || map->kind != VALUE_MAP)
        return NULL;
    for (vec_each(ValueMember, member, &map->map)) {
        if (slice_eq(member->key, key))
            return &member->value;
    }
    return NULL;
}

Value *value_make(Arena *arena, Value *map, ...) {
    va_list keys;

    va_start(keys, map);
    for (const char *key; (key = va_arg(keys, const char *));) {
        Value *member = value_find(map, slice_of(key));

        if (!member)
            member = value_put(arena, map, slice_of(key), value_map());
        else if (member->kind != VALUE_MAP)
            *member = value_map();
        map = member;
    }
    va_end(keys);
    return map;
}

bool value_remove(Value *map, Slice key) {
    if (!map || map->kind != VALUE_MAP)
        return false;
    for (uint32_t i = 0; i < map->map.count; i++) {
        ValueMember *member = &map->map.items[i];

        if (!slice_eq(member->key, key))
            continue;
        memmove(member, member + 1, (map->map.count - i - 1) * sizeof *member);
        map->map.count--;
        return true;
    }
    return false;
}

void value_list_remove(Value *list, uint32_t at) {
    CHECK(list->kind == VALUE_LIST && at < list->list.count, "no element %u", at);
    memmove(&list->list.items[at], &list->list.items[at + 1], (list->list.count - at - 1) * sizeof(Value));
    list->list.count--;
}

void value_merge_patch(Arena *arena, Value *target, const Value *patch) {
    if (patch->kind != VALUE_MAP) {
        *target = value_copy_tree(arena, patch);
        return;
    }
    if (target->kind != VALUE_MAP)
        *target = value_map();
    for (vec_each(const ValueMember, member, &patch->map)) {
        Value *old;

        if (member->value.kind == VALUE_NULL) {
            value_remove(target, member->key);
            continue;
        }
        old = value_find(target, member->key);
        if (!old)
            old = value_put(arena, target, member->key, value_null());
        value_merge_patch(arena, old, &member->value);
    }
}

static int by_key(const void *a, const void *b) {
    return slice_cmp(((const ValueMember *)a)->key, ((const ValueMember *)b)->key);
}

void value_sort_members(Value *map) {
    if (map->map.count)
        qsort(map->map.items, map->map.count, sizeof *map->map.items, by_key);
}

// Recursive over the depth of the tree.
void value_sort(Value *value) {
    if (value->kind == VALUE_LIST) {
        for (vec_each(Value, element, &value->list))
            value_sort(element);
    } else if (value->kind == VALUE_MAP) {
        value_sort_members(value);
        for (vec_each(ValueMember, member, &value->map))
            value_sort(&member->value);
    }
}
