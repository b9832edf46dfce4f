// The shapes that need no declaration; lists and maps of any shape.
#include "aws/protocol/shape.h"

const AwsShape aws_shape_string = {.kind = AWS_STRING};
const AwsShape aws_shape_blob = {.kind = AWS_BLOB};
const AwsShape aws_shape_bool = {.kind = AWS_BOOL};
const AwsShape aws_shape_integer = {.kind = AWS_INTEGER};
const AwsShape aws_shape_real = {.kind = AWS_REAL};
const AwsShape aws_shape_time = {.kind = AWS_TIME};
const AwsShape aws_shape_strings = {.kind = AWS_LIST, .size = sizeof(Slice), .element = &aws_shape_string};
const AwsShape aws_shape_string_map = {
    .kind = AWS_MAP,
    .size = sizeof(AwsStringEntry),
    .element = &aws_shape_string,
    .value_offset = offsetof(AwsStringEntry, value),
};

Slice aws_string_map_get(const AwsStringMap *map, Slice key) {
    for (vec_each(const AwsStringEntry, entry, map)) {
        if (slice_eq(entry->key, key))
            return entry->value;
    }
    return (Slice){0};
}

void *aws_items_add(Arena *arena, const AwsShape *shape, AwsItems *items) {
    if (items->count == items->capacity)
        items->items = vec_grow(arena, items->items, shape->size, items->count, &items->capacity);
    items->count++;
    return memset(aws_items_at(shape, items, items->count - 1), 0, shape->size);
}

void aws_items_begin(Arena *arena, AwsItems *items) {
    if (!items->items)
        items->items = arena_alloc(arena, 0);
}

const AwsMember *aws_member_find(const AwsShape *structure, Slice name) {
    for (uint32_t i = 0; i < structure->member_count; i++) {
        if (slice_eq(structure->members[i].name, name))
            return &structure->members[i];
    }
    return NULL;
}
