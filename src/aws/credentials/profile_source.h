// What a profile says of credentials.
#pragma once

#include "aws/credentials/source.h"

// The source of a profile, its role and the profiles that it names included. *ret_source NULL: it says nothing.
// ERR_INVALID: it cannot be used as it is; the message names the profile and property.
ErrCode aws_profile_source_new(const AwsSourceMakings *makings, Slice profile, AwsSource **ret_source, Err *err);

// Keys of the environment. *ret_source NULL: there are none. ERR_INVALID: one of the two is missing.
ErrCode aws_environment_source_new(const AwsEnvironment *environment, AwsSource **ret_source, Err *err);
