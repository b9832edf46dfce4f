// Answers of the JSON protocols.
#include "aws/protocol/json_read.h"

#include "aws/protocol/scalar.h"
#include "text/json.h"

static ErrCode read_value(Arena *arena, const AwsShape *shape, const Value *value, void *ret_field, Err *err);

ErrCode aws_json_parse(Arena *scratch, Slice body, Value *ret_root, Err *err) {
    static const ParseOptions limits = {.depth_max = AWS_DEPTH_MAX, .values_max = AWS_VALUES_MAX};
    DocumentVec documents = {0};

    if (body.len > AWS_BODY_MAX)
        return err_set(err, ERR_TOO_LARGE, "JSON of %zu bytes, more than %d", body.len, AWS_BODY_MAX);
    TRY(json_parse(scratch, SLICE("answer"), body, &limits, &documents, NULL, err));
    if (documents.count != 1)
        return err_set(err, ERR_INVALID, "an answer of %u JSON documents", documents.count);
    *ret_root = documents.items[0].root;
    return OK;
}

static ErrCode expect(const Value *value, ValueKind kind, Err *err) {
    if (value->kind == kind)
        return OK;
    return err_set(err, ERR_INVALID, "expected %s, got %s", value_kind_text(kind), value_kind_text(value->kind));
}

static ErrCode read_structure(Arena *arena, const AwsShape *shape, const Value *value, char *ret_object, Err *err) {
    TRY(expect(value, VALUE_MAP, err));
    for (vec_each(const ValueMember, found, &value->map)) {
        const AwsMember *member = aws_member_find(shape, found->key);
        void *field;
        ErrCode code;

        if (!member || found->value.kind == VALUE_NULL)
            continue;
        field = ret_object + member->offset;
        if (member->shape->kind == AWS_STRUCTURE)
            field = *(void **)field = arena_alloc(arena, member->shape->size);
        code = read_value(arena, member->shape, &found->value, field, err);
        if (code != OK) {
            err_prefix(err, "%.*s", SLICE_ARG(member->name));
            return code;
        }
    }
    return OK;
}

// null elements are left out.
static ErrCode read_list(Arena *arena, const AwsShape *shape, const Value *value, AwsItems *ret_list, Err *err) {
    TRY(expect(value, VALUE_LIST, err));
    aws_items_begin(arena, ret_list);
    for (vec_each(const Value, element, &value->list)) {
        if (element->kind != VALUE_NULL)
            TRY(read_value(arena, shape->element, element, aws_items_add(arena, shape, ret_list), err));
    }
    return OK;
}

static ErrCode read_map(Arena *arena, const AwsShape *shape, const Value *value, AwsItems *ret_map, Err *err) {
    TRY(expect(value, VALUE_MAP, err));
    aws_items_begin(arena, ret_map);
    for (vec_each(const ValueMember, member, &value->map)) {
        char *entry;

        if (member->value.kind == VALUE_NULL)
            continue;
        entry = aws_items_add(arena, shape, ret_map);
        *(Slice *)entry = arena_slice(arena, member->key);
        TRY(read_value(arena, shape->element, &member->value, entry + shape->value_offset, err));
    }
    return OK;
}

// Times are numbers or strings, and so are real numbers (NaN and the infinities are strings).
static ErrCode read_scalar(Arena *arena, const AwsShape *shape, const Value *value, void *ret_field, Err *err) {
    bool is_number = value->kind == VALUE_NUMBER;

    switch (shape->kind) {
    case AWS_BOOL:
        TRY(expect(value, VALUE_BOOL, err));
        *(AwsBool *)ret_field = aws_bool(value->boolean);
        return OK;
    case AWS_INTEGER:
        TRY(expect(value, VALUE_NUMBER, err));
        break;
    case AWS_REAL:
    case AWS_TIME:
        TRY(expect(value, is_number ? VALUE_NUMBER : VALUE_STRING, err));
        break;
    default:
        TRY(expect(value, VALUE_STRING, err));
    }
    return aws_scalar_read(arena, shape, value->text, ret_field, err);
}

static ErrCode read_value(Arena *arena, const AwsShape *shape, const Value *value, void *ret_field, Err *err) {
    switch (shape->kind) {
    case AWS_STRUCTURE:
        return read_structure(arena, shape, value, ret_field, err);
    case AWS_LIST:
        return read_list(arena, shape, value, ret_field, err);
    case AWS_MAP:
        return read_map(arena, shape, value, ret_field, err);
    default:
        return read_scalar(arena, shape, value, ret_field, err);
    }
}

ErrCode aws_json_read(Arena *arena, const AwsOperation *operation, Slice body, void *ret_output, Err *err) {
    Arena scratch = {0};
    Value root;
    ErrCode code = aws_json_parse(&scratch, body, &root, err);

    if (code == OK)
        code = read_structure(arena, operation->output, &root, ret_output, err);
    arena_free(&scratch);
    return code;
}
