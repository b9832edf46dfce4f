// Shapes as JSON: tenon's described, and others, of the protocols' own tests, made from their description.
#pragma once

#include "aws/protocol/operation.h"
#include "text/value.h"

// {"kind": "structure", "members": {"name": shape, …}}; lists and maps: {"kind", "element": shape}.
Value shape_describe(Arena *arena, const AwsShape *shape);

// The name of a structure's member at an offset.
Value shape_member_at(const AwsShape *structure, size_t offset);

// Makes an operation of {"name", "protocol", "api_version", "json_target", "json_version", "method", "path", "input",
// "output", "shapes": [shape, …]}. Shapes refer to each other by their index, and may contain themselves.
void operation_define(Arena *arena, const Value *description, AwsService *ret_service, AwsOperation *ret_operation);
