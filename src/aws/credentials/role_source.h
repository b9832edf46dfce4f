// Credentials that STS gives: for a token of a web identity (IRSA), or to who may take a role.
#pragma once

#include "aws/credentials/source.h"

// How a role is taken. The texts are copied.
typedef struct {
    Slice role_arn;
    Slice session_name; // empty: the time in nanoseconds
    Slice external_id;  // empty: none
    int64_t duration_s; // 0: the service's default
} AwsRole;

// AssumeRoleWithWebIdentity, with the token that is in a file, read anew each time.
AwsSource *aws_web_identity_source_new(const AwsSourceMakings *makings, const AwsRole *role, Slice token_file);

// AssumeRole, with the credentials of another source, which it takes over.
AwsSource *aws_role_source_new(const AwsSourceMakings *makings, const AwsRole *role, AwsSource *base);
