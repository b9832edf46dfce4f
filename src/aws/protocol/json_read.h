// Answers of the JSON protocols.
#pragma once

#include "aws/protocol/operation.h"
#include "text/value.h"

// Parses a body of one document; the Value lives in `scratch`. O(body). ERR_INVALID, ERR_TOO_LARGE.
ErrCode aws_json_parse(Arena *scratch, Slice body, Value *ret_root, Err *err);

// Reads a body into the struct of the operation's output. O(body). ERR_INVALID: no JSON object, or a value of a wrong
// type; the message names the member. ERR_TOO_LARGE.
ErrCode aws_json_read(Arena *arena, const AwsOperation *operation, Slice body, void *ret_output, Err *err);
