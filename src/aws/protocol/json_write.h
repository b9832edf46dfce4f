// Bodies of the JSON protocols.
#pragma once

#include "aws/protocol/operation.h"

// Appends the members of `input` as a JSON object, but those that the operation's path names. O(input). ERR_INVALID: a
// string is no UTF-8.
ErrCode aws_json_write(Buffer *body, const AwsOperation *operation, const void *input, Err *err);

// Whether the operation's path has a place for the member ("/clusters/{name}").
bool aws_path_has(const AwsOperation *operation, Slice member);
