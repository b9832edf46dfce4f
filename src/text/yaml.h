// YAML texts to Values and back, read as Kubernetes' own tools read them (sigs.k8s.io/yaml: YAML 1.1 scalars, so
// unquoted yes/on are booleans and 0777 is octal; merge keys; anchors). Multi-document; empty documents are skipped.
//
// Duplicate keys: last wins with a warning that gives both lines, or ERR_INVALID when strict. Members that "<<" gives
// are no duplicates: as in go-yaml v2 they replace what stands above and are replaced by what stands below.
// Taken more liberally than by those tools: %YAML 1.2, !!binary (the text as it stands).
#pragma once

#include "base/buffer.h"
#include "text/value.h"

// Appends every document of `text` to `documents`. `text` must stay as long as the Values. O(length + expanded
// aliases). ERR_INVALID: not YAML, a cycle of anchors, a key that is null or no scalar, .inf and .nan, a value that its
// tag does not allow; the text names file, line and what was expected. ERR_TOO_LARGE: a bound of `options`.
ErrCode yaml_parse(Arena *arena, Slice file, Slice text, const ParseOptions *options, DocumentVec *documents,
                   WarningVec *warnings, Err *err);

// Prints a Value in block style, as kubectl does (lists not indented below their key, strings quoted only where a
// YAML 1.1 reader would take them for something else). Ends with a newline.
void yaml_print(Buffer *buffer, const Value *value);
