// The canonical form of a request, which is what a signature covers.
#pragma once

#include "aws/sign/sign.h"
#include "base/buffer.h"

enum { AWS_DIGEST_HEX = 64 };

// SHA-256 as text.
void aws_digest_hex(Slice bytes, char ret_hex[AWS_DIGEST_HEX + 1]);
// Bytes as text, in lower case; `ret_hex` has two places for each, and one.
void aws_hex(const unsigned char *bytes, size_t count, char *ret_hex);

// Appends the canonical form of the request, with `more` headers beside its own and Host. Sets the list of signed
// headers, "host;x-amz-date", in `arena`. O(request + headers²).
void aws_canonical_write(Arena *arena, Buffer *buffer, const AwsSignable *signable, const HttpHeader *more,
                         uint32_t more_count, Slice *ret_signed);
