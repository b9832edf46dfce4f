// Any answer of AWS's: the first byte is the operation, the second whether it is a fault. What was read of an answer is
// written as JSON and read again to the same.
#include "support/fuzz.h"

#include "aws/protocol/json_read.h"
#include "aws/protocol/json_write.h"
#include "aws/service/operations.h"

// The output as JSON, by the operation's own table.
static void print(Buffer *text, const AwsOperation *operation, const void *output) {
    AwsOperation writer = {.service = operation->service, .name = operation->name, .input = operation->output};

    CHECK(aws_json_write(text, &writer, output, NULL) == OK, "%s", operation->name);
}

static void check_again(Arena *arena, const AwsOperation *operation, const void *output) {
    Buffer first = {0}, second = {0};
    void *again = arena_alloc(arena, operation->output->size);
    Err err;

    print(&first, operation, output);
    CHECK(aws_json_read(arena, operation, buffer_slice(&first), again, &err) == OK, "%s", err.text);
    print(&second, operation, again);
    CHECK(slice_eq(buffer_slice(&first), buffer_slice(&second)), "%s", operation->name);
    buffer_free(&first);
    buffer_free(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    Arena arena = {0};
    const AwsOperation *operation;
    AwsAnswer answer = {.status = 200};
    AwsFault fault = {0};
    void *output;
    Err err;

    if (size < 2)
        return 0;
    operation = aws_operations[bytes[0] % aws_operation_count];
    answer.body = (Slice){(const char *)bytes + 2, size - 2};
    if (bytes[1] & 1)
        answer.status = 400;
    output = arena_alloc(&arena, operation->output ? operation->output->size : 0);
    if (aws_read(&arena, operation, &answer, output, &fault, &err) == OK) {
        CHECK(fault.status == (bytes[1] & 1 ? 400 : 0), "status %d", fault.status);
        CHECK(fault.code.len <= AWS_FAULT_CODE_MAX && fault.message.len <= AWS_FAULT_MESSAGE_MAX, "bounds");
        if (!fault.status && operation->output)
            check_again(&arena, operation, output);
    }
    arena_free(&arena);
    return 0;
}
