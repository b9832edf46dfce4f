// Answers of the query protocols, in XML.
#pragma once

#include "aws/protocol/operation.h"

// Reads a body into the struct of the operation's output, element by element: no tree is built, and what no member
// names is skipped. The root must be <NameResponse>, and AWS_QUERY's result <NameResult> in it; of an operation without
// output the root alone is looked at. O(body). ERR_INVALID: not such a document, or a value of a wrong type; the
// message names the element. ERR_TOO_LARGE.
ErrCode aws_xml_read(Arena *arena, const AwsOperation *operation, Slice body, void *ret_output, Err *err);
