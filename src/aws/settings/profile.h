// Profiles of the shared files ~/.aws/config and ~/.aws/credentials. Reference aws.md 8.
//
// A profile is what both files say of it; where they disagree, the file of credentials counts. AWS_CONFIG_FILE and
// AWS_SHARED_CREDENTIALS_FILE name other files; one that is missing is empty.
#pragma once

#include "aws/settings/environment.h"
#include "text/value.h"

typedef struct {
    Value config, credentials; // text/ini.h
} AwsProfiles;

// Reads both files. They may hold secrets: the arena lives no longer than needed. ERR_INVALID: a line that is none;
// ERR_IO, ERR_TOO_LARGE.
ErrCode aws_profiles_read(Arena *arena, const AwsEnvironment *environment, AwsProfiles *ret_profiles, Err *err);

// Whether one of the files has the profile.
bool aws_profile_exists(const AwsProfiles *profiles, Slice profile);

// A property of a profile; empty: not there.
Slice aws_profile_get(const AwsProfiles *profiles, Slice profile, const char *property);

// The endpoint_url of a service in the section of services that the profile names; empty: none.
Slice aws_profile_service_url(const AwsProfiles *profiles, Slice profile, const char *service);
