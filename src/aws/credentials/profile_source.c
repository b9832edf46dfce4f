// Profiles: keys, a web identity, or a role that the credentials of another profile or of the machine may take.
//
// Programs (credential_process) and single sign-on are refused: a controller in a cluster has neither, and a program
// that prints secrets is not to be started by one.
#include "aws/credentials/profile_source.h"

#include "aws/credentials/container_source.h"
#include "aws/credentials/metadata_source.h"
#include "aws/credentials/role_source.h"
#include "aws/credentials/static_source.h"

enum { PROFILES_DEEP_MAX = 5, NAME_SHOWN_MAX = 64 };

// A profile being read, and those that led to it.
typedef struct ProfilePath ProfilePath;
struct ProfilePath {
    const AwsSourceMakings *makings;
    Slice profile;
    const ProfilePath *from;
    uint32_t depth;
};

static ErrCode read_profile(const ProfilePath *path, AwsSource **ret_source, Err *err);

static Slice get(const ProfilePath *path, const char *property) {
    return aws_profile_get(&path->makings->settings->profiles, path->profile, property);
}

static ErrCode refuse(const ProfilePath *path, Err *err, const char *why) {
    return err_set(err, ERR_INVALID, "profile %.*s of the shared files: %s",
                   SLICE_ARG(slice_first(path->profile, NAME_SHOWN_MAX)), why);
}

static ErrCode read_role(const ProfilePath *path, AwsRole *ret_role, Err *err) {
    Slice duration = get(path, "duration_seconds");
    AwsRole role = {
        .role_arn = get(path, "role_arn"),
        .session_name = get(path, "role_session_name"),
        .external_id = get(path, "external_id"),
    };

    if (duration.len && (!slice_to_int64(duration, &role.duration_s) || role.duration_s <= 0))
        return refuse(path, err, "duration_seconds: expected a number");
    if (get(path, "mfa_serial").len)
        return refuse(path, err, "mfa_serial: nobody is there to type the code");
    *ret_role = role;
    return OK;
}

static bool leads_in_circle(const ProfilePath *path, Slice profile) {
    for (; path; path = path->from) {
        if (slice_eq(path->profile, profile))
            return true;
    }
    return false;
}

// *ret_source NULL: the profile has no keys.
static ErrCode own_keys(const ProfilePath *path, AwsSource **ret_source, Err *err) {
    const AwsKeys keys = {get(path, "aws_access_key_id"), get(path, "aws_secret_access_key"),
                          get(path, "aws_session_token")};

    *ret_source = NULL;
    if (!keys.access_key.len && !keys.secret.len)
        return OK;
    if (!aws_keys_are_sound(&keys))
        return refuse(path, err,
                      "aws_access_key_id, aws_secret_access_key, aws_session_token: one is missing or no key");
    *ret_source = aws_static_source_new("profile", &keys);
    return OK;
}

// Who may take the role: source_profile. The profile itself is meant with its own keys.
static ErrCode read_source_profile(const ProfilePath *path, Slice profile, AwsSource **ret_source, Err *err) {
    const ProfilePath next = {path->makings, profile, path, path->depth + 1};

    if (slice_eq(profile, path->profile)) {
        TRY(own_keys(path, ret_source, err));
        return *ret_source ? OK : refuse(path, err, "source_profile names itself, but it has no keys");
    }
    if (leads_in_circle(path, profile) || next.depth > PROFILES_DEEP_MAX)
        return refuse(path, err, "source_profile: the profiles name each other in a circle, or too many deep");
    if (!aws_profile_exists(&path->makings->settings->profiles, profile))
        return refuse(path, err, "source_profile: there is no such profile");
    TRY(read_profile(&next, ret_source, err));
    return *ret_source ? OK : refuse(path, err, "source_profile: that profile has no credentials");
}

// Who may take the role: credential_source.
static ErrCode read_credential_source(const ProfilePath *path, Slice name, AwsSource **ret_source, Err *err) {
    if (slice_eq_text(name, "Environment"))
        return aws_environment_source_new(&path->makings->settings->environment, ret_source, err);
    if (slice_eq_text(name, "EcsContainer"))
        return aws_container_source_new(path->makings, ret_source, err);
    if (!slice_eq_text(name, "Ec2InstanceMetadata"))
        return refuse(path, err, "credential_source: expected Environment, EcsContainer or Ec2InstanceMetadata");
    *ret_source = aws_metadata_source_new(path->makings);
    return OK;
}

static ErrCode read_assumed(const ProfilePath *path, AwsSource **ret_source, Err *err) {
    Slice profile = get(path, "source_profile"), name = get(path, "credential_source");
    AwsSource *base = NULL;
    AwsRole role;

    TRY(read_role(path, &role, err));
    if (profile.len && name.len)
        return refuse(path, err, "source_profile and credential_source: expected one of them");
    if (profile.len)
        TRY(read_source_profile(path, profile, &base, err));
    else if (name.len)
        TRY(read_credential_source(path, name, &base, err));
    if (!base)
        return refuse(path, err, "role_arn: nobody is named who takes the role (source_profile, credential_source)");
    *ret_source = aws_role_source_new(path->makings, &role, base);
    return OK;
}

static ErrCode read_web_identity(const ProfilePath *path, Slice token_file, AwsSource **ret_source, Err *err) {
    AwsRole role;

    TRY(read_role(path, &role, err));
    if (!role.role_arn.len)
        return refuse(path, err, "web_identity_token_file without role_arn");
    *ret_source = aws_web_identity_source_new(path->makings, &role, token_file);
    return OK;
}

static ErrCode read_profile(const ProfilePath *path, AwsSource **ret_source, Err *err) {
    Slice token_file = get(path, "web_identity_token_file");

    if (token_file.len)
        return read_web_identity(path, token_file, ret_source, err);
    if (get(path, "role_arn").len)
        return read_assumed(path, ret_source, err);
    TRY(own_keys(path, ret_source, err));
    if (*ret_source)
        return OK;
    if (get(path, "credential_process").len)
        return refuse(path, err, "credential_process: tenon starts no programs for credentials; use a role or keys");
    if (get(path, "sso_session").len || get(path, "sso_start_url").len)
        return refuse(path, err, "sso_session: single sign-on is for people; use a role or keys");
    return OK;
}

ErrCode aws_profile_source_new(const AwsSourceMakings *makings, Slice profile, AwsSource **ret_source, Err *err) {
    const ProfilePath path = {makings, profile, NULL, 1};
    AwsSource *source = NULL;

    TRY(read_profile(&path, &source, err));
    *ret_source = source;
    return OK;
}

ErrCode aws_environment_source_new(const AwsEnvironment *environment, AwsSource **ret_source, Err *err) {
    const AwsKeys keys = {aws_variable(environment, "AWS_ACCESS_KEY_ID"),
                          aws_variable(environment, "AWS_SECRET_ACCESS_KEY"),
                          aws_variable(environment, "AWS_SESSION_TOKEN")};

    if (!keys.access_key.len != !keys.secret.len)
        return err_set(err, ERR_INVALID, "%s is set, but %s is not",
                       keys.access_key.len ? "AWS_ACCESS_KEY_ID" : "AWS_SECRET_ACCESS_KEY",
                       keys.access_key.len ? "AWS_SECRET_ACCESS_KEY" : "AWS_ACCESS_KEY_ID");
    *ret_source = NULL;
    if (!keys.access_key.len)
        return OK;
    if (!aws_keys_are_sound(&keys))
        return err_set(err, ERR_INVALID, "AWS_ACCESS_KEY_ID, AWS_SESSION_TOKEN: letters that no key has");
    *ret_source = aws_static_source_new("environment", &keys);
    return OK;
}
