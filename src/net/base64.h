// Base64 (RFC 4648, section 4): bytes to text and back.
#pragma once

#include "base/arena.h"
#include "base/err.h"

// Encodes with padding and without line breaks.
Slice base64_encode(Arena *arena, Slice bytes);

// Decodes. Padding must be correct; white space between characters is skipped, since kubeconfigs wrap their data.
// ERR_INVALID: another character, or a truncated text; the message says nothing of the content.
ErrCode base64_decode(Arena *arena, Slice text, Slice *ret_bytes, Err *err);
