// Settings from variables and profiles.
#include "aws/settings/settings.h"

#include "aws/support/environment.h"
#include "aws/support/wire.h"
#include "base/alloc.h"
#include "base/time.h"

typedef struct {
    TestEnvironment *environment;
    Arena arena;
    AwsSettings settings;
    Err err;
} World;

static World *setup(void) {
    World *w = NEW(World);

    w->environment = environment_new();
    environment_set(w->environment, "HOME", "/home/user");
    return w;
}

static void teardown(World *w) {
    environment_free(w->environment);
    arena_free(&w->arena);
    free(w);
}

FIXTURE(World, setup, teardown);

static ErrCode settle(World *w) {
    return aws_settings_read(&w->arena, &w->environment->environment, &w->settings, &w->err);
}

static void set(World *w, const char *name, const char *value) {
    environment_set(w->environment, name, value);
}

static void config(World *w, const char *text) {
    environment_file(w->environment, "/home/user/.aws/config", text);
}

TEST_F(World, w, nothing_said_means_the_defaults) {
    assert_int_equal(settle(w), OK);
    assert_int_equal(w->settings.region.len, 0);
    assert_int_equal(w->settings.attempts_max, 3);
    assert_slice(w->settings.profile, "default");
    assert_slice(w->settings.metadata.url, "http://169.254.169.254");
    assert_int_equal(w->settings.metadata.timeout_ns, 5 * NS_PER_S);
    assert_int_equal(aws_settings_endpoint_url(&w->settings, "ec2").len, 0);
}

// R148: on Fargate there is no metadata service, and AWS_REGION says it.
TEST_F(World, w, the_region_is_of_the_first_that_says_one) {
    config(w, "[default]\nregion = eu-north-1\n");
    assert_int_equal(settle(w), OK);
    assert_slice(w->settings.region, "eu-north-1");
    set(w, "AWS_DEFAULT_REGION", "eu-west-2");
    assert_int_equal(settle(w), OK);
    assert_slice(w->settings.region, "eu-west-2");
    set(w, "AWS_REGION", " eu-west-1 ");
    assert_int_equal(settle(w), OK);
    assert_slice(w->settings.region, "eu-west-1");
}

TEST_F(World, w, a_profile_that_is_not_there_is_an_error) {
    config(w, "[profile work]\nregion = eu-north-1\n");
    set(w, "AWS_PROFILE", "work");
    assert_int_equal(settle(w), OK);
    assert_slice(w->settings.region, "eu-north-1");
    set(w, "AWS_PROFILE", "play");
    assert_int_equal(settle(w), ERR_INVALID);
    assert_string_equal(w->err.text, "AWS_PROFILE: the shared files have no profile 'play'");
}

TEST_F(World, w, credentials_go_before_config) {
    config(w, "[default]\naws_access_key_id = A\nregion = r\n");
    environment_file(w->environment, "/home/user/.aws/credentials", "[default]\naws_access_key_id = B\n");
    assert_int_equal(settle(w), OK);
    assert_slice(aws_profile_get(&w->settings.profiles, SLICE("default"), "aws_access_key_id"), "B");
    assert_slice(aws_profile_get(&w->settings.profiles, SLICE("default"), "region"), "r");
}

TEST_F(World, w, other_files_may_be_named) {
    environment_file(w->environment, "/etc/aws", "[profile default]\nregion = here\n");
    config(w, "[default]\nregion = there\n");
    set(w, "AWS_CONFIG_FILE", "/etc/aws");
    assert_int_equal(settle(w), OK);
    assert_slice(w->settings.region, "here");
}

TEST_F(World, w, endpoints_go_from_the_narrow_to_the_wide) {
    config(w, "[default]\nendpoint_url = http://d\nservices = s\n[services s]\nec2 =\n  endpoint_url = http://c\n");
    assert_int_equal(settle(w), OK);
    assert_slice(aws_settings_endpoint_url(&w->settings, "ec2"), "http://c");
    assert_slice(aws_settings_endpoint_url(&w->settings, "sqs"), "http://d");
    set(w, "AWS_ENDPOINT_URL", "http://b");
    assert_slice(aws_settings_endpoint_url(&w->settings, "ec2"), "http://b");
    set(w, "AWS_ENDPOINT_URL_ARC_ZONAL_SHIFT", "http://a");
    assert_slice(aws_settings_endpoint_url(&w->settings, "arc_zonal_shift"), "http://a");
    set(w, "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "true");
    assert_int_equal(settle(w), OK);
    assert_int_equal(aws_settings_endpoint_url(&w->settings, "arc_zonal_shift").len, 0);
}

TEST_F(World, w, flags_are_of_variables_or_the_profile) {
    config(w, "[default]\nuse_fips_endpoint = TRUE\nuse_dualstack_endpoint = true\nmax_attempts = 7\n");
    set(w, "AWS_USE_DUALSTACK_ENDPOINT", "false");
    assert_int_equal(settle(w), OK);
    assert_true(w->settings.use_fips);
    assert_false(w->settings.use_dual_stack);
    assert_int_equal(w->settings.attempts_max, 7);
}

TEST_F(World, w, wrong_values_name_their_setting) {
    static const struct {
        const char *name, *value;
    } wrong[] = {
        {"AWS_USE_FIPS_ENDPOINT", "yes"},   {"AWS_MAX_ATTEMPTS", "0"},
        {"AWS_RETRY_MODE", "legacy"},       {"AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE", "IPv5"},
        {"AWS_EC2_METADATA_DISABLED", "1"}, {"AWS_METADATA_SERVICE_TIMEOUT", "long"},
    };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        set(w, wrong[i].name, wrong[i].value);
        assert_int_equal(settle(w), ERR_INVALID);
        assert_non_null(strstr(w->err.text, wrong[i].name));
        set(w, wrong[i].name, NULL);
    }
}

TEST_F(World, w, the_metadata_service_has_an_address_of_ipv6) {
    set(w, "AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE", "ipv6");
    assert_int_equal(settle(w), OK);
    assert_slice(w->settings.metadata.url, "http://[fd00:ec2::254]");
    set(w, "AWS_EC2_METADATA_SERVICE_ENDPOINT", "http://127.0.0.1:1338/");
    assert_int_equal(settle(w), OK);
    assert_slice(w->settings.metadata.url, "http://127.0.0.1:1338");
}
