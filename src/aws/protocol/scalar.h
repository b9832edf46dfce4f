// Scalars: strings, blobs, booleans, numbers and times, as fields of structs and as texts.
#pragma once

#include "aws/protocol/shape.h"
#include "base/buffer.h"
#include "base/err.h"

// Whether a member of any kind is there.
bool aws_is_present(const AwsShape *shape, const void *field);

// Appends the text of a scalar that is present. `usual`: the protocol's format of times.
void aws_scalar_write(Buffer *buffer, const AwsShape *shape, AwsTimeFormat usual, const void *field);

// Reads a scalar from its text. Strings and blobs are copied into the arena; of other kinds an empty text is an absent
// value. ERR_INVALID: not of that kind; the message does not repeat the text, which may be a secret.
ErrCode aws_scalar_read(Arena *arena, const AwsShape *shape, Slice text, void *ret_field, Err *err);
