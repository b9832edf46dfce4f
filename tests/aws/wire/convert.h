// Inputs and outputs of operations as JSON, by their own tables.
#pragma once

#include "aws/protocol/operation.h"
#include "text/value.h"

// A struct of the operation's input shape, in `arena`; `value` NULL: all of it absent. ERR_INVALID.
ErrCode input_read(Arena *arena, const AwsOperation *operation, const Value *value, void **ret_input, Err *err);

// An output as JSON; of an operation without one an empty object.
Value output_value(Arena *arena, const AwsOperation *operation, const void *output);
