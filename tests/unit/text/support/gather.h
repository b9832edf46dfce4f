// json_read as json_parse: what is told is put together again, so that both can be compared.
#pragma once

#include "text/value.h"

// Has the signature and the result of json_parse.
ErrCode json_gather(Arena *arena, Slice file, Slice text, const ParseOptions *options, DocumentVec *documents,
                    WarningVec *warnings, Err *err);

// Whether two trees are the same, with the order of their members and all lines.
bool value_is_same(const Value *a, const Value *b);
