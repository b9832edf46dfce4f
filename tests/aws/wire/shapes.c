// Shapes as JSON, and from JSON.
#include "shapes.h"

static const char *const kind_names[] = {"string", "blob",      "boolean", "integer", "real",
                                         "time",   "structure", "list",    "map"};
static const char *const time_formats[] = {"usual", "iso8601", "unixTimestamp", "rfc822"};

Value shape_describe(Arena *arena, const AwsShape *shape) {
    Value value = value_map();

    value_put(arena, &value, SLICE("kind"), value_string(slice_of(kind_names[shape->kind])));
    if (shape->kind == AWS_STRUCTURE) {
        Value *members = value_put(arena, &value, SLICE("members"), value_map());

        for (uint32_t i = 0; i < shape->member_count; i++)
            value_put(arena, members, shape->members[i].name, shape_describe(arena, shape->members[i].shape));
    } else if (shape->element) {
        value_put(arena, &value, SLICE("element"), shape_describe(arena, shape->element));
    }
    return value;
}

Value shape_member_at(const AwsShape *structure, size_t offset) {
    for (uint32_t i = 0; i < structure->member_count; i++) {
        if (structure->members[i].offset == offset)
            return value_string(structure->members[i].name);
    }
    return value_null();
}

// The index of the text in `names`; the first where there is none.
static int index_of(const Value *text, const char *const *names, int count) {
    for (int i = 0; text && i < count; i++) {
        if (slice_eq_text(text->text, names[i]))
            return i;
    }
    CHECK(!text, "unknown: %.*s", SLICE_ARG(text->text));
    return 0;
}
#define INDEX_OF(text, names) index_of((text), (names), sizeof(names) / sizeof *(names))

static const char *text_member(Arena *arena, const Value *value, const char *name) {
    const Value *text = value_get(value, slice_of(name));

    return text && text->kind == VALUE_STRING ? arena_text(arena, text->text) : NULL;
}

// The shape that a member of a description refers to; NULL: absent.
static AwsShape *referred(AwsShape *shapes, const Value *description, const char *name) {
    int64_t index;

    return value_to_int64(value_get(description, slice_of(name)), &index) ? &shapes[index] : NULL;
}

// Bytes of a value as an element, or, but for structures, which are pointers then, as a member.
static size_t size_of_value(const AwsShape *shape) {
    switch (shape->kind) {
    case AWS_STRING:
    case AWS_BLOB:
        return sizeof(Slice);
    case AWS_STRUCTURE:
        return shape->size;
    case AWS_LIST:
    case AWS_MAP:
        return sizeof(AwsItems);
    default:
        return sizeof(AwsReal); // the largest of the other scalars
    }
}

static void define_members(Arena *arena, AwsShape *shapes, AwsShape *shape, const Value *description) {
    const Value *members = value_get_text(description, "members");
    AwsMember *table = arena_array(arena, AwsMember, members->map.count);
    size_t offset = 0;

    for (uint32_t i = 0; i < members->map.count; i++) {
        const ValueMember *member = &members->map.items[i];
        int64_t index;

        CHECK(value_to_int64(&member->value, &index), "a shape's index");
        table[i] = (AwsMember){arena_slice(arena, member->key), &shapes[index], offset};
        offset += sizeof(AwsReal) > sizeof(AwsItems) ? sizeof(AwsReal) : sizeof(AwsItems);
    }
    shape->members = table;
    shape->member_count = members->map.count;
    shape->size = offset;
}

// Sizes of structures come first: elements of lists have them inside.
static AwsShape *define_shapes(Arena *arena, const Value *descriptions) {
    AwsShape *shapes = arena_array(arena, AwsShape, descriptions->list.count);

    for (uint32_t i = 0; i < descriptions->list.count; i++) {
        const Value *description = &descriptions->list.items[i];
        AwsShape *shape = &shapes[i];

        shape->kind = (AwsKind)INDEX_OF(value_get_text(description, "kind"), kind_names);
        shape->time_format = (AwsTimeFormat)INDEX_OF(value_get_text(description, "time_format"), time_formats);
        shape->element_name = text_member(arena, description, "element_name");
        shape->key_name = text_member(arena, description, "key_name");
        shape->value_name = text_member(arena, description, "value_name");
        shape->is_flat = value_get_text(description, "is_flat") != NULL;
        if (shape->kind == AWS_STRUCTURE)
            define_members(arena, shapes, shape, description);
    }
    for (uint32_t i = 0; i < descriptions->list.count; i++) {
        AwsShape *shape = &shapes[i];

        shape->element = referred(shapes, &descriptions->list.items[i], "element");
        if (!shape->element)
            continue;
        shape->value_offset = shape->kind == AWS_MAP ? sizeof(Slice) : 0;
        shape->size = shape->value_offset + size_of_value(shape->element);
    }
    return shapes;
}

static AwsProtocol protocol_of(const Value *description) {
    static const char *const names[] = {"ec2", "query", "json 1.0", "json 1.1", "rest-json"};

    return (AwsProtocol)INDEX_OF(value_get_text(description, "protocol"), names);
}

void operation_define(Arena *arena, const Value *description, AwsService *ret_service, AwsOperation *ret_operation) {
    AwsShape *shapes = define_shapes(arena, value_get_text(description, "shapes"));

    *ret_service = (AwsService){
        .api_version = text_member(arena, description, "api_version"),
        .json_target = text_member(arena, description, "json_target"),
        .protocol = protocol_of(description),
        .was_query = value_get_text(description, "was_query") != NULL,
    };
    *ret_operation = (AwsOperation){
        .service = ret_service,
        .name = text_member(arena, description, "name"),
        .method = text_member(arena, description, "method"),
        .path = text_member(arena, description, "path"),
        .input = referred(shapes, description, "input"),
        .output = referred(shapes, description, "output"),
    };
}
