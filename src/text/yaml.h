// YAML texts to Values and back, interpreted as by Kubernetes' own tools (sigs.k8s.io/yaml: YAML 1.1 scalars, so
// unquoted yes/on are booleans and 0777 is octal; merge keys; anchors). Several documents; empty ones are skipped.
//
// Duplicate keys: the last wins with a warning that names both lines, or ERR_INVALID when strict. Members from "<<" are
// not duplicates: as in go-yaml v2 they replace members above and are replaced by members below. More permissive than
// those tools: %YAML 1.2, !!binary (the text as written).
#pragma once

#include "base/buffer.h"
#include "text/value.h"

// Appends every document of `text` to `documents`. `text` must live as long as the Values. O(length + expanded
// aliases). ERR_INVALID: not YAML, a cycle of anchors, a key that is null or not a scalar, .inf and .nan, a value that
// its tag does not allow; the text names file, line and what was expected. ERR_TOO_LARGE: a limit of `options`.
ErrCode yaml_parse(Arena *arena, Slice file, Slice text, const ParseOptions *options, DocumentVec *documents,
                   WarningVec *warnings, Err *err);

// Prints a Value in block style, as kubectl does (lists not indented below their key, strings quoted only where a YAML
// 1.1 reader would interpret them differently). Ends with a newline.
void yaml_print(Buffer *buffer, const Value *value);
