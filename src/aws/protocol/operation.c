// Operations: which protocol writes and reads them.
#include "aws/protocol/operation.h"

#include "aws/protocol/fault.h"
#include "aws/protocol/json_read.h"
#include "aws/protocol/json_write.h"
#include "aws/protocol/query_write.h"
#include "aws/protocol/xml_read.h"

static void add_header(AwsMessage *message, Slice name, Slice value) {
    message->headers[message->header_count++] = (HttpHeader){name, value};
}

// Moves the text of a buffer into the arena, and empties it for the next.
static Slice take(Arena *arena, Buffer *buffer) {
    Slice text = arena_slice(arena, buffer_slice(buffer));

    buffer->len = 0;
    return text;
}

static ErrCode write_query(Arena *arena, const AwsOperation *operation, const void *input, Buffer *buffer,
                           AwsMessage *message) {
    message->method = "POST";
    message->path = SLICE("/");
    add_header(message, SLICE("Content-Type"), SLICE("application/x-www-form-urlencoded; charset=utf-8"));
    aws_query_write(buffer, operation, input);
    message->body = take(arena, buffer);
    return OK;
}

static ErrCode write_json(Arena *arena, const AwsOperation *operation, const void *input, Buffer *buffer,
                          AwsMessage *message, Err *err) {
    bool is_1_0 = operation->service->protocol == AWS_JSON_1_0;

    message->method = "POST";
    message->path = SLICE("/");
    add_header(message, SLICE("Content-Type"),
               is_1_0 ? SLICE("application/x-amz-json-1.0") : SLICE("application/x-amz-json-1.1"));
    add_header(message, SLICE("X-Amz-Target"),
               arena_printf(arena, "%s.%s", operation->service->json_target, operation->name));
    if (operation->service->was_query)
        add_header(message, SLICE("X-Amzn-Query-Mode"), SLICE("true"));
    TRY(aws_json_write(buffer, operation, input, err));
    message->body = take(arena, buffer);
    return OK;
}

// Appends a member's value to the path. The member is a string.
static ErrCode write_place(const AwsOperation *operation, Slice name, const void *input, Buffer *path, Err *err) {
    const AwsMember *member = aws_member_find(operation->input, name);
    Slice value;

    CHECK(member && member->shape->kind == AWS_STRING, "%s: no string {%.*s}", operation->name, SLICE_ARG(name));
    value = *(const Slice *)((const char *)input + member->offset);
    if (slice_is_empty(value))
        return err_set(err, ERR_INVALID, "%s: %.*s is empty", operation->name, SLICE_ARG(name));
    url_add_encoded(path, value);
    return OK;
}

static ErrCode write_path(const AwsOperation *operation, const void *input, Buffer *path, Err *err) {
    Slice rest = slice_of(operation->path);

    while (rest.len) {
        ptrdiff_t open = slice_find(rest, '{'), end = slice_find(rest, '}');

        if (open < 0) {
            buffer_append(path, rest);
            break;
        }
        CHECK(end > open, "path %s", operation->path);
        buffer_append(path, slice_first(rest, (size_t)open));
        TRY(write_place(operation, slice_first(slice_from(rest, (size_t)open + 1), (size_t)(end - open - 1)), input,
                        path, err));
        rest = slice_from(rest, (size_t)end + 1);
    }
    return OK;
}

// Whether an input has members that are not in the path: then there is a body, even when all of them are absent.
static bool has_body(const AwsOperation *operation) {
    for (uint32_t i = 0; i < operation->input->member_count; i++) {
        if (!aws_path_has(operation, operation->input->members[i].name))
            return true;
    }
    return false;
}

static ErrCode write_rest(Arena *arena, const AwsOperation *operation, const void *input, Buffer *buffer,
                          AwsMessage *message, Err *err) {
    message->method = operation->method;
    TRY(write_path(operation, input, buffer, err));
    message->path = take(arena, buffer);
    if (!has_body(operation))
        return OK;
    add_header(message, SLICE("Content-Type"), SLICE("application/json"));
    TRY(aws_json_write(buffer, operation, input, err));
    message->body = take(arena, buffer);
    return OK;
}

ErrCode aws_write(Arena *arena, const AwsOperation *operation, const void *input, AwsMessage *ret_message, Err *err) {
    AwsMessage message = {0};
    Buffer buffer = {0};
    ErrCode code = OK;

    switch (operation->service->protocol) {
    case AWS_EC2_QUERY:
    case AWS_QUERY:
        code = write_query(arena, operation, input, &buffer, &message);
        break;
    case AWS_JSON_1_0:
    case AWS_JSON_1_1:
        code = write_json(arena, operation, input, &buffer, &message, err);
        break;
    case AWS_REST_JSON:
        code = write_rest(arena, operation, input, &buffer, &message, err);
        break;
    }
    buffer_free(&buffer);
    if (code == OK)
        *ret_message = message;
    return code;
}

static ErrCode read_output(Arena *arena, const AwsOperation *operation, Slice body, void *ret_output, Err *err) {
    switch (operation->service->protocol) {
    case AWS_EC2_QUERY:
    case AWS_QUERY:
        return aws_xml_read(arena, operation, body, ret_output, err);
    default: // SQS answers what has no output with no body
        return operation->output ? aws_json_read(arena, operation, body, ret_output, err) : OK;
    }
}

ErrCode aws_read(Arena *arena, const AwsOperation *operation, const AwsAnswer *answer, void *ret_output,
                 AwsFault *ret_fault, Err *err) {
    ErrCode code;

    if (answer->status < 200 || answer->status > 299) {
        *ret_fault = aws_fault_read(arena, operation, answer);
        return OK;
    }
    code = read_output(arena, operation, answer->body, ret_output, err);
    if (code == OK)
        *ret_fault = (AwsFault){0};
    else
        err_prefix(err, "answer of %s", operation->name);
    return code;
}
