// Answers of HTTP, as the protocols read them.
#pragma once

#include "net/http.h"

// An answer of any status. Borrowed.
typedef struct {
    int status;
    const HttpHeader *headers; // X-Amzn-RequestId, X-Amzn-ErrorType and the like are looked for, whatever their case
    uint32_t header_count;
    Slice body;
} AwsAnswer;

// The value of a header, whatever its case; absent: ptr NULL. O(headers).
Slice aws_answer_header(const AwsAnswer *answer, const char *name);
