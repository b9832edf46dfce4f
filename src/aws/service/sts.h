// STS: temporary credentials. Reference aws.md 8.
#pragma once

#include "aws/protocol/operation.h"

extern const AwsService sts_service;

// Secrets.
#define STS_CREDENTIALS(X, T)                                                                                          \
    X(T, STRING, access_key_id, "AccessKeyId")                                                                         \
    X(T, STRING, secret_access_key, "SecretAccessKey")                                                                 \
    X(T, STRING, session_token, "SessionToken")                                                                        \
    X(T, TIME, expiration, "Expiration")
AWS_STRUCT(StsCredentials, STS_CREDENTIALS);

#define STS_ASSUME_ROLE_INPUT(X, T)                                                                                    \
    X(T, STRING, role_arn, "RoleArn")                                                                                  \
    X(T, STRING, role_session_name, "RoleSessionName")                                                                 \
    X(T, STRING, external_id, "ExternalId")                                                                            \
    X(T, INTEGER, duration_seconds, "DurationSeconds")
AWS_STRUCT(StsAssumeRoleInput, STS_ASSUME_ROLE_INPUT);

#define STS_ASSUME_ROLE_OUTPUT(X, T) X(T, STRUCTURE, credentials, "Credentials", StsCredentials)
AWS_STRUCT(StsAssumeRoleOutput, STS_ASSUME_ROLE_OUTPUT);

#define STS_ASSUME_ROLE_WITH_WEB_IDENTITY_INPUT(X, T)                                                                  \
    X(T, STRING, role_arn, "RoleArn")                                                                                  \
    X(T, STRING, role_session_name, "RoleSessionName")                                                                 \
    X(T, STRING, web_identity_token, "WebIdentityToken")                                                               \
    X(T, INTEGER, duration_seconds, "DurationSeconds")
AWS_STRUCT(StsAssumeRoleWithWebIdentityInput, STS_ASSUME_ROLE_WITH_WEB_IDENTITY_INPUT);

#define STS_ASSUME_ROLE_WITH_WEB_IDENTITY_OUTPUT(X, T) X(T, STRUCTURE, credentials, "Credentials", StsCredentials)
AWS_STRUCT(StsAssumeRoleWithWebIdentityOutput, STS_ASSUME_ROLE_WITH_WEB_IDENTITY_OUTPUT);

extern const AwsOperation sts_assume_role;
// Not signed: the token is the credential.
extern const AwsOperation sts_assume_role_with_web_identity;
