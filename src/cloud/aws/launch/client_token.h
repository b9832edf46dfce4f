// The token by which EC2 knows a request for a fleet again.
#pragma once

#include "aws/service/ec2_launch.h"

// SHA-256 of the request as it is sent, without token, and of the claims' uids in text order: 64 letters in `arena`.
// The same request for the same claims has the same token in any process, so that EC2 answers a repetition with the
// first one's instances. O(request + claims log claims). ERR_INVALID: as aws_write.
ErrCode fleet_client_token(Arena *arena, const Ec2CreateFleetInput *input, const SliceVec *claims, Slice *ret_token,
                           Err *err);
