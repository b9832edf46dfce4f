// Times as AWS writes them.
#pragma once

#include "aws/protocol/shape.h"
#include "base/buffer.h"
#include "base/err.h"

// Reads a time of any AwsTimeFormat: RFC 3339, seconds since 1970 with a fraction or an exponent, or an HTTP date.
// Fractions are kept to the microsecond. ERR_INVALID.
ErrCode aws_time_read(Slice text, AwsTime *ret_time, Err *err);

// Appends a time; fractions to the microsecond where there are any, but in HTTP dates, which have none.
// AWS_TIME_USUAL is not a format.
void aws_time_write(Buffer *buffer, AwsTimeFormat format, AwsTime time);
