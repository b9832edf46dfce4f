// Comparison of trees. Large maps are compared through a hash index, so that maps of n members cost O(n).
#include "base/map.h"
#include "text/value.h"

enum { SMALL_MAP = 16 };

static bool list_eq(const ValueList *a, const ValueList *b) {
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++) {
        if (!value_eq(&a->items[i], &b->items[i]))
            return false;
    }
    return true;
}

static bool small_map_eq(const Value *a, const Value *b) {
    for (vec_each(const ValueMember, member, &a->map)) {
        const Value *other = value_get(b, member->key);

        if (!other || !value_eq(&member->value, other))
            return false;
    }
    return true;
}

static const Value *find(const IndexMap *index, const ValueMap *map, Slice key) {
    uint64_t hash = slice_hash(key);
    uint32_t cursor = 0;

    for (uint32_t i; (i = index_map_next(index, hash, &cursor)) != INDEX_NONE;) {
        if (slice_eq(map->items[i].key, key))
            return &map->items[i].value;
    }
    return NULL;
}

static bool large_map_eq(const ValueMap *a, const ValueMap *b) {
    Arena scratch = {0};
    IndexMap index = {0};
    bool equal = true;

    for (uint32_t i = 0; i < b->count; i++)
        index_map_add(&scratch, &index, slice_hash(b->items[i].key), i);
    for (uint32_t i = 0; i < a->count && equal; i++) {
        const Value *other = find(&index, b, a->items[i].key);

        equal = other && value_eq(&a->items[i].value, other);
    }
    arena_free(&scratch);
    return equal;
}

static bool map_eq(const Value *a, const Value *b) {
    if (a->map.count != b->map.count)
        return false;
    return a->map.count <= SMALL_MAP ? small_map_eq(a, b) : large_map_eq(&a->map, &b->map);
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
        return list_eq(&a->list, &b->list);
    case VALUE_MAP:
        return map_eq(a, b);
    }
    return false;
}

static bool list_has(const Value *value, const ValueList *wanted) {
    if (!value || value->kind == VALUE_NULL)
        return wanted->count == 0;
    if (value->kind != VALUE_LIST || value->list.count != wanted->count)
        return false;
    for (uint32_t i = 0; i < wanted->count; i++) {
        if (!value_has(&value->list.items[i], &wanted->items[i]))
            return false;
    }
    return true;
}

static bool map_has(const Value *value, const Value *wanted) {
    for (vec_each(const ValueMember, member, &wanted->map)) {
        if (!value_has(value ? value_get(value, member->key) : NULL, &member->value))
            return false;
    }
    return true;
}

bool value_has(const Value *value, const Value *wanted) {
    switch (wanted->kind) {
    case VALUE_NULL:
        return !value || value->kind == VALUE_NULL;
    case VALUE_LIST:
        return list_has(value, &wanted->list);
    case VALUE_MAP:
        return map_has(value, wanted);
    case VALUE_BOOL:
    case VALUE_NUMBER:
    case VALUE_STRING:
        break;
    }
    return value && value_eq(value, wanted);
}
