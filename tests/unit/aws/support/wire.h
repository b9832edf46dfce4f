// Requests and answers without a network.
#pragma once

#include "aws/protocol/operation.h"
#include "harness/test.h"

typedef struct {
    Arena arena;
    Err err;
    AwsMessage message; // of wire_write
    AwsFault fault;     // of wire_read
} Wire;

Wire *wire_new(void);
void wire_free(Wire *wire);

// Writes a request, which must succeed; its body as text.
const char *wire_write(Wire *wire, const AwsOperation *operation, const void *input);

// Reads a body as an answer of status 200.
ErrCode wire_read(Wire *wire, const AwsOperation *operation, const char *body, void *ret_output);

// Reads an answer of another status into `fault`.
void wire_read_fault(Wire *wire, const AwsOperation *operation, int status, const char *body, const HttpHeader *header);

// Whether a slice is that text and present.
void assert_slice(Slice slice, const char *text);

// A vector of the array `items_`, which is a variable.
#define VEC_OF(items_)                                                                                                 \
    { (items_), sizeof(items_) / sizeof *(items_), sizeof(items_) / sizeof *(items_) }
