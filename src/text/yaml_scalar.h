// What an unquoted YAML scalar means (YAML 1.1 as go-yaml v2 and so sigs.k8s.io/yaml read it).
#pragma once

#include "text/value.h"

// Null, bool, number or string. Numbers come out in JSON's grammar. ERR_INVALID: .inf and .nan, which JSON cannot say.
ErrCode yaml_scalar_resolve(Arena *arena, Slice text, Value *ret_value, Err *err);

// Whether a YAML 1.1 reader would take the unquoted text for something other than this string.
bool yaml_scalar_needs_quotes(Slice text);
