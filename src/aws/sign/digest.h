// SHA-256 as text: of what is signed, and of what must be recognized.
#pragma once

#include "base/slice.h"

enum { AWS_DIGEST_HEX = 64 };

// The SHA-256 of bytes, in lower case. O(bytes).
void aws_digest_hex(Slice bytes, char ret_hex[AWS_DIGEST_HEX + 1]);
// Bytes as text, in lower case; `ret_hex` has two places for each, and one.
void aws_hex(const unsigned char *bytes, size_t count, char *ret_hex);
