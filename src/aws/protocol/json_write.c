// Bodies of the JSON protocols.
#include "aws/protocol/json_write.h"

#include "aws/protocol/scalar.h"
#include "text/json.h"
#include "text/utf8.h"

#include <math.h>

static ErrCode write_value(Buffer *body, const AwsShape *shape, const void *field, Err *err);

bool aws_path_has(const AwsOperation *operation, Slice member) {
    for (const char *at = operation->path ? strchr(operation->path, '{') : NULL; at; at = strchr(at + 1, '{')) {
        if (strncmp(at + 1, member.ptr, member.len) == 0 && at[1 + member.len] == '}')
            return true;
    }
    return false;
}

static ErrCode write_string(Buffer *body, Slice text, Err *err) {
    uint32_t character;
    size_t len;

    for (Slice rest = text; rest.len; rest = slice_from(rest, len)) {
        len = utf8_decode(rest, &character);
        if (!len)
            return err_set(err, ERR_INVALID, "a string is no UTF-8");
    }
    json_print_string(body, text);
    return OK;
}

// Appends the name of a member or key after a comma, unless it is the first since `begin`.
static ErrCode write_name(Buffer *body, size_t begin, Slice name, Err *err) {
    if (body->len > begin)
        buffer_append_char(body, ',');
    TRY(write_string(body, name, err));
    buffer_append_char(body, ':');
    return OK;
}

// `operation`: of an input, whose members may be in the path; NULL: of a structure within it.
static ErrCode write_structure(Buffer *body, const AwsOperation *operation, const AwsShape *shape, const char *object,
                               Err *err) {
    size_t begin;

    buffer_append_char(body, '{');
    begin = body->len;
    for (uint32_t i = 0; i < shape->member_count; i++) {
        const AwsMember *member = &shape->members[i];
        const void *field = object + member->offset;

        if (!aws_is_present(member->shape, field) || (operation && aws_path_has(operation, member->name)))
            continue;
        TRY(write_name(body, begin, member->name, err));
        TRY(write_value(body, member->shape, member->shape->kind == AWS_STRUCTURE ? *(const void *const *)field : field,
                        err));
    }
    buffer_append_char(body, '}');
    return OK;
}

static ErrCode write_list(Buffer *body, const AwsShape *shape, const AwsItems *list, Err *err) {
    buffer_append_char(body, '[');
    for (uint32_t i = 0; i < list->count; i++) {
        if (i)
            buffer_append_char(body, ',');
        TRY(write_value(body, shape->element, aws_items_at(shape, list, i), err));
    }
    buffer_append_char(body, ']');
    return OK;
}

static ErrCode write_map(Buffer *body, const AwsShape *shape, const AwsItems *map, Err *err) {
    size_t begin;

    buffer_append_char(body, '{');
    begin = body->len;
    for (uint32_t i = 0; i < map->count; i++) {
        const char *entry = aws_items_at(shape, map, i);

        TRY(write_name(body, begin, *(const Slice *)entry, err));
        TRY(write_value(body, shape->element, entry + shape->value_offset, err));
    }
    buffer_append_char(body, '}');
    return OK;
}

// Whether JSON has no literal for the scalar, so that its text is a string.
static bool is_quoted(const AwsShape *shape, const void *field) {
    switch (shape->kind) {
    case AWS_BOOL:
    case AWS_INTEGER:
        return false;
    case AWS_REAL:
        return !isfinite(((const AwsReal *)field)->value);
    case AWS_TIME:
        return shape->time_format == AWS_TIME_ISO_8601 || shape->time_format == AWS_TIME_HTTP_DATE;
    default:
        return true;
    }
}

static ErrCode write_scalar(Buffer *body, const AwsShape *shape, const void *field, Err *err) {
    bool quoted = is_quoted(shape, field);

    if (shape->kind == AWS_STRING)
        return write_string(body, *(const Slice *)field, err);
    if (quoted)
        buffer_append_char(body, '"');
    aws_scalar_write(body, shape, AWS_TIME_UNIX, field);
    if (quoted)
        buffer_append_char(body, '"');
    return OK;
}

static ErrCode write_value(Buffer *body, const AwsShape *shape, const void *field, Err *err) {
    switch (shape->kind) {
    case AWS_STRUCTURE:
        return write_structure(body, NULL, shape, field, err);
    case AWS_LIST:
        return write_list(body, shape, field, err);
    case AWS_MAP:
        return write_map(body, shape, field, err);
    default:
        return write_scalar(body, shape, field, err);
    }
}

ErrCode aws_json_write(Buffer *body, const AwsOperation *operation, const void *input, Err *err) {
    return write_structure(body, operation, operation->input, input, err);
}
