// Faults: what answers that are not 2xx say, in each protocol's way.
#pragma once

#include "aws/protocol/operation.h"

// Reads code, message and request id as far as they are there: a body that cannot be read is no failure. O(body).
AwsFault aws_fault_read(Arena *arena, const AwsOperation *operation, const AwsAnswer *answer);
