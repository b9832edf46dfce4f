// Grant: credentials that several threads hold, and that are wiped when the last of them lets go.
#pragma once

#include "aws/sign/sign.h"

typedef struct AwsGrant AwsGrant;

// Copies the keys. `expires_ns`: their end by the service's clock; INT64_MAX: none. The caller holds it.
AwsGrant *aws_grant_new(const AwsKeys *keys, int64_t expires_ns);
// Holds it once more. Any thread.
AwsGrant *aws_grant_hold(AwsGrant *grant);
// Lets go. Any thread; NULL is fine.
void aws_grant_drop(AwsGrant *grant);

// Valid as long as it is held.
const AwsKeys *aws_grant_keys(const AwsGrant *grant);
int64_t aws_grant_expires_ns(const AwsGrant *grant);
