// What both ways of taking a role share.
#pragma once

#include "aws/credentials/role_source.h"
#include "aws/service/sts.h"

AwsRole aws_role_copy(Arena *arena, const AwsRole *role);

// Credentials of an answer of STS's. ERR_INVALID: it lacks some.
ErrCode aws_sts_fetched(const StsCredentials *credentials, AwsFetched *ret_fetched, Err *err);
