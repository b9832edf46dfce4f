// Reading what is applied.
#pragma once

#include "sim/scenario/read_parts.h"

// Objects, names of files, lists of both.
ErrCode decode_apply(Reader *reader, const Value *value, ValueList *objects, Err *err);
