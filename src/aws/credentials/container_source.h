// The credentials of a pod (EKS pod identity) or container (ECS). Reference aws.md 8.
#pragma once

#include "aws/credentials/source.h"

// Whether the environment says that there are such.
bool aws_container_is_named(const AwsEnvironment *environment);

// ERR_INVALID: AWS_CONTAINER_CREDENTIALS_FULL_URI is no URL, or one over plain HTTP to another host than those of this
// machine and of AWS's agents.
ErrCode aws_container_source_new(const AwsSourceMakings *makings, AwsSource **ret_source, Err *err);
