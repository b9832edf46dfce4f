// Requests and answers without a network.
#include "aws/support/wire.h"

#include <stdlib.h>

Wire *wire_new(void) {
    return calloc(1, sizeof(Wire));
}

void wire_free(Wire *wire) {
    arena_free(&wire->arena);
    free(wire);
}

const char *wire_write(Wire *wire, const AwsOperation *operation, const void *input) {
    assert_int_equal(aws_write(&wire->arena, operation, input, &wire->message, &wire->err), OK);
    return arena_text(&wire->arena, wire->message.body);
}

ErrCode wire_read(Wire *wire, const AwsOperation *operation, const char *body, void *ret_output) {
    AwsAnswer answer = {.status = 200, .body = slice_of(body)};

    return aws_read(&wire->arena, operation, &answer, ret_output, &wire->fault, &wire->err);
}

void wire_read_fault(Wire *wire, const AwsOperation *operation, int status, const char *body,
                     const HttpHeader *header) {
    AwsAnswer answer = {.status = status, .headers = header, .header_count = header != NULL, .body = slice_of(body)};

    assert_int_equal(aws_read(&wire->arena, operation, &answer, NULL, &wire->fault, &wire->err), OK);
}

void assert_slice(Slice slice, const char *text) {
    char copy[1024];

    assert_non_null(slice.ptr);
    assert_true(slice.len < sizeof copy);
    memcpy(copy, slice.ptr, slice.len);
    copy[slice.len] = 0;
    assert_string_equal(copy, text);
}
