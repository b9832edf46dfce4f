// Base64 (RFC 4648, section 4): bytes to text and back.
#pragma once

#include "base/arena.h"
#include "base/err.h"

// With padding, without line breaks.
Slice base64_encode(Arena *arena, Slice bytes);

// Padding must be right; white space between characters is skipped, as kubeconfigs wrap their data.
// ERR_INVALID: another character, or a cut text. Says nothing of the content.
ErrCode base64_decode(Arena *arena, Slice text, Slice *ret_bytes, Err *err);
