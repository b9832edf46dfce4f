// Requests of the query protocols, read by the tables of their operations: the other side of aws/protocol/query_write.
#pragma once

#include "aws/protocol/operation.h"

// The value of a parameter of a form; absent: ptr NULL. O(form).
Slice wire_form_get(Arena *arena, Slice form, Slice name);

// Reads a form into *ret_input, a zeroed struct of the operation's input shape. Maps are passed over: no operation of a
// query protocol has one. ERR_INVALID: a value that is not of its member's kind. O(members × parameters).
ErrCode wire_form_read(Arena *arena, const AwsOperation *operation, Slice form, void *ret_input, Err *err);
