// UTF-8, one character at a time.
#pragma once

#include "base/slice.h"

enum { UTF8_REPLACEMENT = 0xfffd };

// Decodes the first character of `text`. Returns its length in bytes (1 to 4), or 0 when the bytes are not valid UTF-8
// (overlong, a surrogate, over U+10FFFF, truncated) or `text` is empty.
size_t utf8_decode(Slice text, uint32_t *ret_character);
