// The grammar of numbers in JSON (RFC 8259, section 6).
#pragma once

#include "base/slice.h"

// Whether the whole of `text` is a number. O(length).
bool number_is_json(Slice text);
