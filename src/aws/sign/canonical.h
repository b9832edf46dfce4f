// The canonical form of a request, which is what a signature covers.
#pragma once

#include "aws/sign/digest.h"
#include "aws/sign/sign.h"
#include "base/buffer.h"

// Appends the canonical form of the request, with `more` headers beside its own and Host. Sets the list of signed
// headers, "host;x-amz-date", in `arena`. O(request + headers²).
void aws_canonical_write(Arena *arena, Buffer *buffer, const AwsSignable *signable, const HttpHeader *more,
                         uint32_t more_count, Slice *ret_signed);
