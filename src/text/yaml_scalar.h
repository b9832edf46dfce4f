// Resolution of YAML scalars as in go-yaml v2 (and so sigs.k8s.io/yaml and kubectl): YAML 1.1 with Go's integer and
// float syntax, without sexagesimal numbers, and with time stamps left as strings.
#pragma once

#include "text/value.h"

// Resolves a scalar; `tag` is NULL for a plain one without a tag. Numbers are formatted as by Go's encoding/json (1_000
// gives 1000, 0x1f gives 31, 1e3 gives 1000); a float that overflows a double stays a string. Strings point into
// `text`. O(length). ERR_INVALID: .inf and .nan, which JSON cannot express; a text that its tag does not allow.
ErrCode yaml_scalar_resolve(Arena *arena, const char *tag, Slice text, Value *ret_value, Err *err);

// A resolved number as a map key: floats as sigs.k8s.io/yaml prints them, rounded to 32 bits ("1.5", "1.2e+30").
Slice yaml_number_key(Arena *arena, Slice number);

// Whether a YAML 1.1 reader would interpret the unquoted text as something other than this string. O(length).
bool yaml_scalar_needs_quotes(Slice text);
