// The JSON in which the metadata service and the endpoints of containers give credentials.
#pragma once

#include "aws/credentials/source.h"

enum { AWS_KEY_DOCUMENT_MAX = 64 << 10 };

// Reads {"AccessKeyId", "SecretAccessKey", "Token", "Expiration"}; a "Code" other than "Success" is a refusal.
// O(bytes). ERR_INVALID: no such document, or a key that no header could carry; ERR_DENIED: a refusal; ERR_TOO_LARGE.
// Messages repeat nothing of the text but the refusal's code.
ErrCode aws_key_document_read(Arena *arena, Slice text, AwsFetched *ret_fetched, Err *err);
