// The chain and its sources, over a transport in memory and an environment of the test's.
#include "aws/credentials/chain.h"

#include "aws/credentials/key_document.h"
#include "aws/credentials/metadata.h"
#include "aws/support/environment.h"
#include "aws/support/memory.h"
#include "aws/support/wire.h"
#include "base/alloc.h"

#define DOCUMENT                                                                                                       \
    "{\"Code\": \"Success\", \"AccessKeyId\": \"ASIA1\", \"SecretAccessKey\": \"very-secret\", \"Token\": "            \
    "\"session\", "                                                                                                    \
    "\"Expiration\": \"2026-11-23T09:00:00Z\"}"
#define STS_CREDENTIALS_XML                                                                                            \
    "<Credentials><AccessKeyId>ASIA2</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken>"  \
    "<Expiration>2026-11-23T09:00:00Z</Expiration></Credentials>"
#define STS_ANSWER(name) "<" name "Response><" name "Result>" STS_CREDENTIALS_XML "</" name "Result></" name "Response>"

typedef struct {
    MemoryTransport *memory;
    TestEnvironment *environment;
    Arena arena;
    AwsSettings settings;
    AwsSource *source;
    AwsFetched fetched;
    Err err;
} World;

static World *setup(void) {
    World *w = NEW(World);

    w->memory = memory_new();
    w->environment = environment_new();
    environment_set(w->environment, "HOME", "/home/user");
    return w;
}

static void teardown(World *w) {
    aws_source_free(w->source);
    memory_free(w->memory);
    environment_free(w->environment);
    arena_free(&w->arena);
    free(w);
}

FIXTURE(World, setup, teardown);

static void set(World *w, const char *name, const char *value) {
    environment_set(w->environment, name, value);
}

static ErrCode choose(World *w) {
    AwsSourceMakings makings = {&w->settings, w->memory->transport, SLICE("eu-west-1"), 1};

    TRY(aws_settings_read(&w->arena, &w->environment->environment, &w->settings, &w->err));
    aws_source_free(w->source);
    w->source = NULL;
    return aws_chain_choose(&makings, &w->source, &w->err);
}

static void assert_chosen(World *w, const char *name) {
    assert_int_equal(choose(w), OK);
    assert_string_equal(w->source->name, name);
}

static ErrCode fetch(World *w) {
    return w->source->fetch(w->source, &w->arena, w->memory->moment.wall_ns, &w->fetched, &w->err);
}

static void config(World *w, const char *text) {
    environment_file(w->environment, "/home/user/.aws/config", text);
}

// --- the order

TEST_F(World, w, the_chain_goes_from_the_near_to_the_far) {
    assert_chosen(w, "metadata of the instance");
    set(w, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "/creds");
    assert_chosen(w, "container");
    config(w, "[default]\naws_access_key_id = A\naws_secret_access_key = B\n");
    assert_chosen(w, "profile");
    set(w, "AWS_WEB_IDENTITY_TOKEN_FILE", "/token");
    set(w, "AWS_ROLE_ARN", "arn:aws:iam::1:role/x");
    assert_chosen(w, "web identity");
    set(w, "AWS_ACCESS_KEY_ID", "A");
    set(w, "AWS_SECRET_ACCESS_KEY", "B");
    assert_chosen(w, "environment");
    assert_int_equal(fetch(w), OK);
    assert_slice(w->fetched.keys.access_key, "A");
    assert_true(w->fetched.expires_ns == INT64_MAX);
    assert_int_equal(w->memory->sent.count, 0);
}

TEST_F(World, w, halves_are_refused) {
    set(w, "AWS_ACCESS_KEY_ID", "A");
    assert_int_equal(choose(w), ERR_INVALID);
    assert_string_equal(w->err.text, "AWS_ACCESS_KEY_ID is set, but AWS_SECRET_ACCESS_KEY is not");
    set(w, "AWS_SECRET_ACCESS_KEY", "B");
    set(w, "AWS_SESSION_TOKEN", "one\r\nHost: evil");
    assert_int_equal(choose(w), ERR_INVALID);
    set(w, "AWS_ACCESS_KEY_ID", NULL);
    set(w, "AWS_SECRET_ACCESS_KEY", NULL);
    set(w, "AWS_WEB_IDENTITY_TOKEN_FILE", "/token");
    assert_int_equal(choose(w), ERR_INVALID);
    assert_string_equal(w->err.text, "AWS_WEB_IDENTITY_TOKEN_FILE is set, but AWS_ROLE_ARN is not");
}

// --- web identity

// R066, R115: the role of a service account; without a session name, the time in numbers.
TEST_F(World, w, the_token_is_read_anew_for_each_fetch) {
    MEMORY_REPLIES(w->memory, {.body = STS_ANSWER("AssumeRoleWithWebIdentity")});
    set(w, "AWS_WEB_IDENTITY_TOKEN_FILE", "/token");
    set(w, "AWS_ROLE_ARN", "arn:aws:iam::1:role/x");
    environment_file(w->environment, "/token", "first\n");
    assert_int_equal(choose(w), OK);
    assert_int_equal(fetch(w), OK);
    environment_file(w->environment, "/token", "second\n");
    assert_int_equal(fetch(w), OK);
    assert_string_equal(w->memory->sent.items[0].url, "https://sts.eu-west-1.amazonaws.com/");
    assert_non_null(strstr(w->memory->sent.items[0].body, "WebIdentityToken=first"));
    assert_non_null(strstr(w->memory->sent.items[0].body, "RoleSessionName=1795420800000000000"));
    assert_null(strstr(w->memory->sent.items[0].body, "DurationSeconds"));
    assert_non_null(strstr(w->memory->sent.items[1].body, "WebIdentityToken=second"));
    assert_slice(w->fetched.keys.session_token, "t");
    assert_true(w->fetched.expires_ns == MEMORY_BEGIN_NS + NS_PER_HOUR);
}

TEST_F(World, w, an_identity_that_sts_cannot_check_yet_is_tried_again) {
    MEMORY_REPLIES(w->memory,
                   {.status = 400,
                    .body = "<ErrorResponse><Error><Code>InvalidIdentityToken</Code><Message>not my-very-own-token"
                            "</Message></Error></ErrorResponse>"});
    set(w, "AWS_WEB_IDENTITY_TOKEN_FILE", "/token");
    set(w, "AWS_ROLE_ARN", "arn:aws:iam::1:role/x");
    environment_file(w->environment, "/token", "my-very-own-token");
    assert_int_equal(choose(w), OK);
    assert_int_equal(fetch(w), ERR_INVALID);
    assert_int_equal(w->memory->sent.count, 3);
    assert_null(strstr(w->err.text, "my-very-own-token"));
}

TEST_F(World, w, a_token_that_is_not_there_is_named) {
    set(w, "AWS_WEB_IDENTITY_TOKEN_FILE", "/token");
    set(w, "AWS_ROLE_ARN", "arn:aws:iam::1:role/x");
    assert_int_equal(choose(w), OK);
    assert_int_equal(fetch(w), ERR_NOT_FOUND);
    assert_string_equal(w->err.text, "/token: no such file");
}

// --- profiles

TEST_F(World, w, a_role_is_taken_with_the_keys_of_another_profile) {
    MEMORY_REPLIES(w->memory, {.body = STS_ANSWER("AssumeRole")});
    config(w, "[default]\nrole_arn = arn:aws:iam::1:role/x\nsource_profile = base\nexternal_id = e\n"
              "role_session_name = s\nduration_seconds = 900\n"
              "[profile base]\naws_access_key_id = AKIDBASE\naws_secret_access_key = B\n");
    assert_chosen(w, "role");
    assert_int_equal(fetch(w), OK);
    assert_slice(w->fetched.keys.access_key, "ASIA2");
    assert_non_null(strstr(memory_header(w->memory, 0, "Authorization"), "Credential=AKIDBASE/"));
    assert_non_null(strstr(w->memory->sent.items[0].body, "RoleSessionName=s&ExternalId=e&DurationSeconds=900"));
}

TEST_F(World, w, what_a_profile_cannot_have_is_refused) {
    static const struct {
        const char *text, *word;
    } wrong[] = {
        {"[default]\ncredential_process = /bin/secrets\n", "credential_process"},
        {"[default]\nsso_session = me\n", "sso_session"},
        {"[default]\naws_access_key_id = A\n", "aws_secret_access_key"},
        {"[default]\naws_access_key_id = A\naws_secret_access_key = B\naws_session_token = C\n  Host: evil\n",
         "aws_session_token"},
        {"[default]\nrole_arn = r\n", "role_arn"},
        {"[default]\nrole_arn = r\nsource_profile = none\n", "source_profile"},
        {"[default]\nrole_arn = r\nsource_profile = default\n", "source_profile"},
        {"[default]\nrole_arn = r\nsource_profile = a\n[profile a]\nrole_arn = r\nsource_profile = default\n",
         "circle"},
        {"[default]\nrole_arn = r\nsource_profile = a\n[profile a]\nregion = x\n", "no credentials"},
        {"[default]\nrole_arn = r\nsource_profile = a\ncredential_source = Environment\n", "one of them"},
        {"[default]\nrole_arn = r\ncredential_source = Moon\n", "credential_source"},
        {"[default]\nrole_arn = r\nmfa_serial = m\n", "mfa_serial"},
        {"[default]\nweb_identity_token_file = /t\n", "web_identity_token_file"},
        {"[default]\nrole_arn = r\nduration_seconds = long\n", "duration_seconds"},
    };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        config(w, wrong[i].text);
        assert_int_equal(choose(w), ERR_INVALID);
        assert_non_null(strstr(w->err.text, wrong[i].word));
        assert_null(w->source);
    }
}

// --- containers

// R119: EKS Pod Identity.
TEST_F(World, w, a_pod_shows_its_token) {
    MEMORY_REPLIES(w->memory, {.body = DOCUMENT});
    set(w, "AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://169.254.170.23/v1/credentials");
    set(w, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "/token");
    environment_file(w->environment, "/token", "one\n");
    assert_chosen(w, "container");
    assert_int_equal(fetch(w), OK);
    environment_file(w->environment, "/token", "two");
    assert_int_equal(fetch(w), OK);
    assert_string_equal(w->memory->sent.items[0].url, "http://169.254.170.23/v1/credentials");
    assert_string_equal(memory_header(w->memory, 0, "Authorization"), "one");
    assert_string_equal(memory_header(w->memory, 1, "Authorization"), "two");
    assert_slice(w->fetched.keys.secret, "very-secret");
}

TEST_F(World, w, credentials_come_over_plain_http_from_known_hosts_alone) {
    static const struct {
        const char *url;
        bool is_right;
    } urls[] = {
        {"http://127.0.0.1:1/x", true},
        {"http://localhost/x", true},
        {"http://[::1]:1/x", true},
        {"http://[fd00:ec2::23]/v1/credentials", true},
        {"http://169.254.170.2/x", true},
        {"https://example.com/x", true},
        {"http://example.com/x", false},
        {"http://127.0.0.1.example.com/x", false},
        {"http://169.254.169.254/x", false},
        {"http://localhost@example.com/x", false},
        {"https://a:b@example.com/x", false},
        {"ftp://127.0.0.1/x", false},
        {"http://[::1].example.com/x", false},
    };

    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
        set(w, "AWS_CONTAINER_CREDENTIALS_FULL_URI", urls[i].url);
        assert_int_equal(choose(w), urls[i].is_right ? OK : ERR_INVALID);
    }
}

TEST_F(World, w, a_token_of_two_lines_is_no_header) {
    set(w, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "/creds");
    set(w, "AWS_CONTAINER_AUTHORIZATION_TOKEN", "one\r\nHost: evil");
    assert_int_equal(choose(w), OK);
    assert_int_equal(fetch(w), ERR_INVALID);
    assert_int_equal(w->memory->sent.count, 0);
}

TEST_F(World, w, an_agent_that_has_trouble_is_asked_again) {
    MEMORY_REPLIES(w->memory, {.status = 500}, {.code = ERR_IO}, {.body = DOCUMENT});
    set(w, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "/creds");
    assert_int_equal(choose(w), OK);
    assert_int_equal(fetch(w), OK);
    assert_string_equal(w->memory->sent.items[2].url, "http://169.254.170.2/creds");
    assert_null(memory_header(w->memory, 2, "Authorization"));
}

// --- the instance

TEST_F(World, w, the_instances_role_is_found_with_a_token) {
    MEMORY_REPLIES(w->memory, {.body = "token-1"}, {.body = "my-role\nsecond\n"}, {.body = DOCUMENT});
    assert_chosen(w, "metadata of the instance");
    assert_int_equal(fetch(w), OK);
    assert_string_equal(w->memory->sent.items[0].method, "PUT");
    assert_string_equal(memory_header(w->memory, 0, "X-aws-ec2-metadata-token-ttl-seconds"), "300");
    assert_string_equal(w->memory->sent.items[2].url,
                        "http://169.254.169.254/latest/meta-data/iam/security-credentials/my-role");
    assert_string_equal(memory_header(w->memory, 2, "X-aws-ec2-metadata-token"), "token-1");
    assert_slice(w->fetched.keys.access_key, "ASIA1");
}

TEST_F(World, w, a_token_that_ended_early_is_replaced) {
    MEMORY_REPLIES(w->memory, {.body = "token-1"}, {.status = 401}, {.body = "token-2"}, {.body = "my-role"},
                   {.body = DOCUMENT});
    assert_int_equal(choose(w), OK);
    assert_int_equal(fetch(w), OK);
    assert_string_equal(memory_header(w->memory, 4, "X-aws-ec2-metadata-token"), "token-2");
}

TEST_F(World, w, no_answer_to_the_token_is_a_hop_limit) {
    MEMORY_REPLIES(w->memory, {.code = ERR_TIMEOUT});
    assert_int_equal(choose(w), OK);
    assert_int_equal(fetch(w), ERR_TIMEOUT);
    assert_non_null(strstr(w->err.text, "hop limit"));
    assert_int_equal(w->memory->sent.count, 1);
}

TEST_F(World, w, an_instance_without_role_is_told_from_a_broken_service) {
    MEMORY_REPLIES(w->memory, {.body = "token-1"}, {.status = 404});
    assert_int_equal(choose(w), OK);
    assert_int_equal(fetch(w), ERR_NOT_FOUND);
    assert_non_null(strstr(w->err.text, "instance profile"));
}

TEST_F(World, w, a_role_is_no_path) {
    MEMORY_REPLIES(w->memory, {.body = "token-1"}, {.body = "../../x?y"});
    assert_int_equal(choose(w), OK);
    assert_int_equal(fetch(w), ERR_INVALID);
    assert_int_equal(w->memory->sent.count, 2);
}

TEST_F(World, w, a_service_that_is_switched_off_is_not_asked) {
    set(w, "AWS_EC2_METADATA_DISABLED", "true");
    assert_int_equal(choose(w), OK);
    assert_int_equal(fetch(w), ERR_DENIED);
    assert_int_equal(w->memory->sent.count, 0);
}

TEST_F(World, w, the_region_is_in_the_identity_document) {
    AwsMetadata *metadata;
    Slice region;

    MEMORY_REPLIES(w->memory, {.body = "token-1"}, {.body = "{\"region\": \"eu-north-1\"}"}, {.body = "{}"});
    assert_int_equal(choose(w), OK);
    metadata = aws_metadata_new(&w->settings.metadata, &w->memory->transport);
    assert_int_equal(aws_metadata_region(metadata, &w->arena, &region, &w->err), OK);
    assert_slice(region, "eu-north-1");
    assert_int_equal(aws_metadata_region(metadata, &w->arena, &region, &w->err), ERR_INVALID);
    aws_metadata_free(metadata);
}

// --- documents

TEST_F(World, w, a_document_of_credentials_is_whole_or_an_error) {
    static const char *const wrong[] = {
        "",
        "[]",
        "{\"SecretAccessKey\": \"very-secret\"}",
        "{\"AccessKeyId\": \"A\", \"SecretAccessKey\": 7}",
        "{\"AccessKeyId\": \"A\", \"SecretAccessKey\": \"very-secret\", \"Expiration\": \"soon\"}",
        "{\"AccessKeyId\": \"A\\r\\nB\", \"SecretAccessKey\": \"very-secret\"}",
        "{\"AccessKeyId\": \"A\", \"SecretAccessKey\": \"very-secret\", \"Token\": \"a b\"}",
        "{\"AccessKeyId\": \"A\", \"SecretAccessKey\": \"very-secret\"",
    };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(aws_key_document_read(&w->arena, slice_of(wrong[i]), &w->fetched, &w->err), ERR_INVALID);
        assert_null(strstr(w->err.text, "secret"));
    }
    assert_int_equal(
        aws_key_document_read(&w->arena, SLICE("{\"Code\": \"AssumeRoleUnauthorizedAccess\"}"), &w->fetched, &w->err),
        ERR_DENIED);
    assert_non_null(strstr(w->err.text, "AssumeRoleUnauthorizedAccess"));
}
