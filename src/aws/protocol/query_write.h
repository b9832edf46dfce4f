// Forms of the query protocols: Action=…&Version=…&Filter.1.Name=…
#pragma once

#include "aws/protocol/operation.h"

// Appends the form of an operation of AWS_QUERY or AWS_EC2_QUERY. O(input).
void aws_query_write(Buffer *body, const AwsOperation *operation, const void *input);
