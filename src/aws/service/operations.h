// Every call that tenon makes of AWS. Reference aws.md 2.1.
#pragma once

#include "aws/protocol/operation.h"

extern const AwsOperation *const aws_operations[];
extern const uint32_t aws_operation_count;
