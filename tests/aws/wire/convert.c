// Inputs and outputs as JSON.
#include "convert.h"

#include "aws/protocol/json_read.h"
#include "aws/protocol/json_write.h"
#include "text/json.h"

ErrCode input_read(Arena *arena, const AwsOperation *operation, const Value *value, void **ret_input, Err *err) {
    AwsOperation reader = {.service = operation->service, .name = operation->name, .output = operation->input};
    Buffer text = {0};
    ErrCode code;

    *ret_input = arena_alloc(arena, operation->input->size);
    if (value)
        json_print(&text, value, false);
    code = value ? aws_json_read(arena, &reader, buffer_slice(&text), *ret_input, err) : OK;
    buffer_free(&text);
    return code;
}

Value output_value(Arena *arena, const AwsOperation *operation, const void *output) {
    AwsOperation writer = {.service = operation->service, .name = operation->name, .input = operation->output};
    Buffer text = {0};
    Value root;

    if (!operation->output)
        return value_map();
    CHECK(aws_json_write(&text, &writer, output, NULL) == OK, "an output of %s", operation->name);
    CHECK(aws_json_parse(arena, buffer_slice(&text), &root, NULL) == OK, "an output of %s", operation->name);
    buffer_free(&text);
    return root;
}
