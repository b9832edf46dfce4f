// Settings of the client: what the SDKs' environment variables and profiles say. Reference aws.md 8.
#pragma once

#include "aws/settings/profile.h"

#include <stdint.h>

// Where the metadata service is asked, and how patiently.
typedef struct {
    bool is_disabled; // AWS_EC2_METADATA_DISABLED
    Slice url; // AWS_EC2_METADATA_SERVICE_ENDPOINT, or by AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE; no '/' at its end
    int64_t timeout_ns; // of one request: AWS_METADATA_SERVICE_TIMEOUT in seconds; 5 s
    uint32_t attempts;  // AWS_METADATA_SERVICE_NUM_ATTEMPTS; 3
} AwsMetadataSettings;

typedef struct {
    AwsEnvironment environment;
    AwsProfiles profiles;
    Slice profile;                 // AWS_PROFILE, AWS_DEFAULT_PROFILE; "default"
    Slice region;                  // AWS_REGION, AWS_DEFAULT_REGION, the profile; empty: the metadata service knows
    bool use_fips, use_dual_stack; // AWS_USE_FIPS_ENDPOINT, AWS_USE_DUALSTACK_ENDPOINT, or the profile
    bool ignores_urls;             // AWS_IGNORE_CONFIGURED_ENDPOINT_URLS, or the profile
    uint32_t attempts_max;         // of a call: AWS_MAX_ATTEMPTS, or the profile; 3
    Slice ca_bundle;               // path of certificates to trust: AWS_CA_BUNDLE, or the profile; empty: the system's
    AwsMetadataSettings metadata;
} AwsSettings;

// Reads them; everything lives in `arena`, secrets of profiles among it. Variables go before profiles. ERR_INVALID: a
// value that is none, or AWS_PROFILE names a profile that is not there; the message names the variable or property.
// Further: as aws_profiles_read.
ErrCode aws_settings_read(Arena *arena, const AwsEnvironment *environment, AwsSettings *ret_settings, Err *err);

// Where the user wants a service to be asked, by its id ("arc_zonal_shift"): AWS_ENDPOINT_URL_<ID>, AWS_ENDPOINT_URL,
// the profile's section of services, its endpoint_url. Empty: nothing is said.
Slice aws_settings_endpoint_url(const AwsSettings *settings, const char *service);
