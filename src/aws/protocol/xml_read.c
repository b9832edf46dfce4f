// Answers of the query protocols, in XML.
//
// A place is an element that is open, with what it is in the output; opening a child adds a place for what it is to its
// parent, by the parent's shape. Values are stored when their element ends.
#include "aws/protocol/xml_read.h"

#include "aws/protocol/scalar.h"
#include "text/xml.h"

typedef struct {
    const AwsShape *shape; // NULL: around the output: <NameResponse>, <NameResult>
    bool is_entry;         // of the map `shape`
    char *target;          // the struct, the list or map, the entry, the field of a scalar
} Place;

typedef struct {
    Arena *arena;
    const AwsOperation *operation;
    void *output;
    Place places[AWS_DEPTH_MAX];
    uint32_t depth;
    size_t arena_max; // what the arena has when the output takes all that it may
    bool has_root, has_output, is_too_large;
} AnswerReader;

static bool open_value(AnswerReader *reader, const AwsShape *shape, void *target);

static bool push(AnswerReader *reader, Place place) {
    reader->places[reader->depth++] = place; // xml_read bounds the depth
    return true;
}

// Whether `name` is the operation's name and `suffix`.
static bool is_name_with(const AnswerReader *reader, Slice name, const char *suffix) {
    Slice operation = slice_of(reader->operation->name);

    return slice_starts_with(name, operation) && slice_eq_text(slice_from(name, operation.len), suffix);
}

// The elements around the members of the output.
static bool open_wrapper(AnswerReader *reader, Slice name) {
    bool is_root = reader->depth == 0, has_result = reader->operation->service->protocol == AWS_QUERY;

    if (!is_name_with(reader, name, is_root ? "Response" : "Result"))
        return false;
    reader->has_root = true;
    if (!reader->operation->output)
        return false;
    if (is_root && has_result)
        return push(reader, (Place){0});
    reader->has_output = true;
    return push(reader, (Place){.shape = reader->operation->output, .target = reader->output});
}

static bool open_element(AnswerReader *reader, const AwsShape *list, AwsItems *items) {
    return open_value(reader, list->element, aws_items_add(reader->arena, list, items));
}

static bool open_entry(AnswerReader *reader, const AwsShape *map, AwsItems *items) {
    return push(reader, (Place){map, true, aws_items_add(reader->arena, map, items)});
}

static bool open_value(AnswerReader *reader, const AwsShape *shape, void *target) {
    if (shape->kind == AWS_LIST || shape->kind == AWS_MAP) {
        aws_items_begin(reader->arena, target);
        if (shape->is_flat)
            return shape->kind == AWS_LIST ? open_element(reader, shape, target) : open_entry(reader, shape, target);
    }
    return push(reader, (Place){.shape = shape, .target = target});
}

static bool open_member(AnswerReader *reader, const Place *structure, Slice name) {
    const AwsMember *member = aws_member_find(structure->shape, name);
    void *field;

    if (!member)
        return false;
    field = structure->target + member->offset;
    if (member->shape->kind == AWS_STRUCTURE)
        field = *(void **)field = arena_alloc(reader->arena, member->shape->size);
    return open_value(reader, member->shape, field);
}

static bool open_entry_part(AnswerReader *reader, const Place *entry, Slice name) {
    const AwsShape *map = entry->shape;

    if (slice_eq_text(name, map->key_name ? map->key_name : "key"))
        return open_value(reader, &aws_shape_string, entry->target);
    if (slice_eq_text(name, map->value_name ? map->value_name : "value"))
        return open_value(reader, map->element, entry->target + map->value_offset);
    return false;
}

static bool on_open(void *context, Slice name) {
    AnswerReader *reader = context;
    const Place *parent = reader->depth ? &reader->places[reader->depth - 1] : NULL;

    if (arena_used(reader->arena) > reader->arena_max) {
        reader->is_too_large = true;
        return false;
    }
    if (!parent || !parent->shape)
        return open_wrapper(reader, name);
    if (parent->is_entry)
        return open_entry_part(reader, parent, name);
    switch (parent->shape->kind) {
    case AWS_STRUCTURE:
        return open_member(reader, parent, name);
    case AWS_LIST: // its elements have one name or another: item, member
        return open_element(reader, parent->shape, (AwsItems *)parent->target);
    case AWS_MAP:
        return open_entry(reader, parent->shape, (AwsItems *)parent->target);
    default:
        return false;
    }
}

static ErrCode on_close(void *context, Slice name, Slice text, Err *err) {
    AnswerReader *reader = context;
    const Place *place = &reader->places[--reader->depth];
    ErrCode code;

    if (!place->shape || place->is_entry || place->shape->kind >= AWS_STRUCTURE)
        return OK;
    code = aws_scalar_read(reader->arena, place->shape, text, place->target, err);
    if (code != OK)
        err_prefix(err, "%.*s", SLICE_ARG(name));
    return code;
}

ErrCode aws_xml_read(Arena *arena, const AwsOperation *operation, Slice body, void *ret_output, Err *err) {
    static const XmlLimits limits = {
        .depth_max = AWS_DEPTH_MAX, .elements_max = AWS_ELEMENTS_MAX, .bytes_max = AWS_BODY_MAX};
    AnswerReader reader = {.arena = arena, .operation = operation, .output = ret_output};
    XmlSink sink = {&reader, on_open, on_close};

    reader.arena_max = arena_used(arena) + AWS_OUTPUT_MAX;
    TRY(xml_read(body, &limits, &sink, err));
    if (reader.is_too_large)
        return err_set(err, ERR_TOO_LARGE, "more than %d bytes in memory", AWS_OUTPUT_MAX);
    if (!(operation->output ? reader.has_output : reader.has_root))
        return err_set(err, ERR_INVALID, "expected <%s%s>, got another document", operation->name,
                       reader.has_root ? "Result" : "Response");
    return OK;
}
