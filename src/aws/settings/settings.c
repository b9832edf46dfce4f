// Settings: a variable, else the property of the profile, else the default.
#include "aws/settings/settings.h"

#include "base/time.h"

#include <strings.h>

enum {
    ATTEMPTS = 3,
    ATTEMPTS_MOST = 100,
    METADATA_S = 5,
    METADATA_ATTEMPTS = 3,
    METADATA_MOST = 60,
    NAME_MAX_LEN = 64
};

// A setting by its two names, either of which may be NULL.
typedef struct {
    const char *variable, *property;
} Setting;

static Slice find(const AwsSettings *settings, Setting setting, const char **ret_name) {
    Slice text = setting.variable ? aws_variable(&settings->environment, setting.variable) : (Slice){0};

    *ret_name = setting.variable;
    if (text.len || !setting.property)
        return text;
    *ret_name = setting.property;
    return aws_profile_get(&settings->profiles, settings->profile, setting.property);
}

static Slice find_text(const AwsSettings *settings, const char *variable, const char *property) {
    const char *name;

    return find(settings, (Setting){variable, property}, &name);
}

static bool is_word(Slice text, const char *word) {
    return text.len == strlen(word) && strncasecmp(text.ptr, word, text.len) == 0;
}

static ErrCode find_bool(const AwsSettings *settings, const char *variable, const char *property, bool *ret_value,
                         Err *err) {
    const char *name;
    Slice text = find(settings, (Setting){variable, property}, &name);

    if (text.len && !is_word(text, "true") && !is_word(text, "false"))
        return err_set(err, ERR_INVALID, "%s: expected true or false", name);
    *ret_value = is_word(text, "true");
    return OK;
}

static ErrCode find_count(const AwsSettings *settings, Setting setting, uint32_t usual, uint32_t most,
                          uint32_t *ret_value, Err *err) {
    const char *name;
    Slice text = find(settings, setting, &name);
    int64_t number = usual;

    if (text.len && (!slice_to_int64(text, &number) || number < 1 || number > most))
        return err_set(err, ERR_INVALID, "%s: expected a number from 1 to %u", name, most);
    *ret_value = (uint32_t)number;
    return OK;
}

// Both modes of the SDKs are the standard one here: the other one merely slows calls down beside it.
static ErrCode check_retry_mode(const AwsSettings *settings, Err *err) {
    const char *name;
    Slice mode = find(settings, (Setting){"AWS_RETRY_MODE", "retry_mode"}, &name);

    if (mode.len && !is_word(mode, "standard") && !is_word(mode, "adaptive"))
        return err_set(err, ERR_INVALID, "%s: expected standard or adaptive", name);
    return OK;
}

static ErrCode read_metadata(Arena *arena, AwsSettings *settings, Err *err) {
    AwsMetadataSettings *metadata = &settings->metadata;
    Slice mode = find_text(settings, "AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE", "ec2_metadata_service_endpoint_mode");
    uint32_t seconds;

    if (mode.len && !is_word(mode, "IPv4") && !is_word(mode, "IPv6"))
        return err_set(err, ERR_INVALID, "AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE: expected IPv4 or IPv6");
    metadata->url = find_text(settings, "AWS_EC2_METADATA_SERVICE_ENDPOINT", "ec2_metadata_service_endpoint");
    if (!metadata->url.len)
        metadata->url = is_word(mode, "IPv6") ? SLICE("http://[fd00:ec2::254]") : SLICE("http://169.254.169.254");
    while (slice_ends_with(metadata->url, SLICE("/")))
        metadata->url.len--;
    metadata->url = arena_slice(arena, metadata->url);
    TRY(find_bool(settings, "AWS_EC2_METADATA_DISABLED", NULL, &metadata->is_disabled, err));
    TRY(find_count(settings, (Setting){"AWS_METADATA_SERVICE_TIMEOUT", "metadata_service_timeout"}, METADATA_S,
                   METADATA_MOST, &seconds, err));
    metadata->timeout_ns = seconds * NS_PER_S;
    return find_count(settings, (Setting){"AWS_METADATA_SERVICE_NUM_ATTEMPTS", "metadata_service_num_attempts"},
                      METADATA_ATTEMPTS, METADATA_MOST, &metadata->attempts, err);
}

static ErrCode choose_profile(AwsSettings *settings, Err *err) {
    settings->profile = find_text(settings, "AWS_PROFILE", NULL);
    if (!settings->profile.len)
        settings->profile = find_text(settings, "AWS_DEFAULT_PROFILE", NULL);
    if (settings->profile.len && !aws_profile_exists(&settings->profiles, settings->profile))
        return err_set(err, ERR_INVALID, "AWS_PROFILE: the shared files have no profile '%.*s'",
                       SLICE_ARG(slice_first(settings->profile, NAME_MAX_LEN)));
    if (!settings->profile.len)
        settings->profile = SLICE("default");
    return OK;
}

ErrCode aws_settings_read(Arena *arena, const AwsEnvironment *environment, AwsSettings *ret_settings, Err *err) {
    AwsSettings settings = {.environment = *environment};

    TRY(aws_profiles_read(arena, environment, &settings.profiles, err));
    TRY(choose_profile(&settings, err));
    settings.region = find_text(&settings, "AWS_REGION", NULL);
    if (!settings.region.len)
        settings.region = find_text(&settings, "AWS_DEFAULT_REGION", "region");
    settings.ca_bundle = find_text(&settings, "AWS_CA_BUNDLE", "ca_bundle");
    TRY(find_bool(&settings, "AWS_USE_FIPS_ENDPOINT", "use_fips_endpoint", &settings.use_fips, err));
    TRY(find_bool(&settings, "AWS_USE_DUALSTACK_ENDPOINT", "use_dualstack_endpoint", &settings.use_dual_stack, err));
    TRY(find_bool(&settings, "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "ignore_configured_endpoint_urls",
                  &settings.ignores_urls, err));
    TRY(find_count(&settings, (Setting){"AWS_MAX_ATTEMPTS", "max_attempts"}, ATTEMPTS, ATTEMPTS_MOST,
                   &settings.attempts_max, err));
    TRY(check_retry_mode(&settings, err));
    TRY(read_metadata(arena, &settings, err));
    *ret_settings = settings;
    return OK;
}

Slice aws_settings_endpoint_url(const AwsSettings *settings, const char *service) {
    char name[NAME_MAX_LEN] = "AWS_ENDPOINT_URL_";
    size_t len = strlen(name);
    Slice url;

    if (settings->ignores_urls)
        return (Slice){0};
    for (size_t i = 0; service[i] && len < sizeof name - 1; i++)
        name[len++] = (char)(service[i] >= 'a' && service[i] <= 'z' ? service[i] - 'a' + 'A' : service[i]);
    url = find_text(settings, name, NULL);
    if (!url.len)
        url = find_text(settings, "AWS_ENDPOINT_URL", NULL);
    if (!url.len)
        url = aws_profile_service_url(&settings->profiles, settings->profile, service);
    return url.len ? url : aws_profile_get(&settings->profiles, settings->profile, "endpoint_url");
}
