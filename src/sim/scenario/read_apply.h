// Reading `apply`.
#pragma once

#include "sim/scenario/read_parts.h"

// Reads objects, file names, or lists of both.
ErrCode decode_apply(Reader *reader, const Value *value, ValueList *objects, Err *err);
