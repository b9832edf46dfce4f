// Answers as AWS writes them, by the tables of their operations: the other side of aws/protocol's readers.
#pragma once

#include "aws/protocol/operation.h"

// A fault; status 0: none.
typedef struct {
    int status; // of HTTP
    const char *code;
    Slice message;
} WireFault;

// The body of an answer of status 200; lives in `arena`. `output` is ignored where the operation has none.
Slice wire_answer(Arena *arena, const AwsOperation *operation, const void *output);
// The body of a fault.
Slice wire_fault(Arena *arena, const AwsOperation *operation, const WireFault *fault);
