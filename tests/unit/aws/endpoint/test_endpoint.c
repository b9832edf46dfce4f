// Endpoints: what users set, and what is refused. The table of hosts is compared with botocore's rules
// (tests/aws/wire).
#include "aws/endpoint/endpoint.h"

#include "aws/service/ec2.h"
#include "aws/service/pricing.h"
#include "aws/support/wire.h"

static AwsEndpoint find(Arena *arena, const AwsEndpointOptions *options) {
    AwsEndpoint endpoint;
    Err err;

    assert_int_equal(aws_endpoint_find(arena, &ec2_service, options, &endpoint, &err), OK);
    return endpoint;
}

TEST(a_service_has_a_host_in_its_region) {
    Arena arena = {0};
    AwsEndpoint endpoint = find(&arena, &(AwsEndpointOptions){.region = SLICE("cn-north-1")});

    assert_slice(endpoint.url, "https://ec2.cn-north-1.amazonaws.com.cn");
    assert_slice(endpoint.host, "ec2.cn-north-1.amazonaws.com.cn");
    assert_slice(endpoint.signing_region, "cn-north-1");
    arena_free(&arena);
}

TEST(a_url_of_the_users_has_a_host_and_a_path) {
    Arena arena = {0};
    AwsEndpoint endpoint =
        find(&arena, &(AwsEndpointOptions){.region = SLICE("us-east-1"), .url = SLICE("http://127.0.0.1:4566/a/b/")});

    assert_slice(endpoint.url, "http://127.0.0.1:4566/a/b");
    assert_slice(endpoint.host, "127.0.0.1:4566");
    assert_slice(endpoint.path, "/a/b");
    arena_free(&arena);
}

TEST(what_is_no_endpoint_is_refused) {
    static const AwsEndpointOptions wrong[] = {
        {.url = SLICE_INIT("")},
        {.region = SLICE_INIT("evil.example.com/")},
        {.region = SLICE_INIT("-x")},
        {.region = SLICE_INIT("us-east-1"), .url = SLICE_INIT("127.0.0.1:4566")},
        {.region = SLICE_INIT("us-east-1"), .url = SLICE_INIT("https://")},
        {.region = SLICE_INIT("us-east-1"), .url = SLICE_INIT("https://user:secret@host")},
        {.region = SLICE_INIT("us-east-1"), .url = SLICE_INIT("https://host/?a=b")},
        {.region = SLICE_INIT("us-east-1"), .url = SLICE_INIT("https://host"), .use_fips = true},
        {.region = SLICE_INIT("us-east-1"), .url = SLICE_INIT("https://host"), .use_dual_stack = true},
    };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        Arena arena = {0};
        AwsEndpoint endpoint;
        Err err;

        assert_int_equal(aws_endpoint_find(&arena, &ec2_service, &wrong[i], &endpoint, &err), ERR_INVALID);
        assert_null(strstr(err.text, "secret"));
        arena_free(&arena);
    }
}

TEST(prices_are_asked_for_where_they_are_known) {
    static const char *const regions[][2] = {
        {"us-west-2", "us-east-1"},       {"ap-northeast-1", "ap-south-1"}, {"eu-west-1", "eu-central-1"},
        {"cn-north-1", "cn-northwest-1"}, {"sa-east-1", "us-east-1"},
    };

    for (size_t i = 0; i < sizeof regions / sizeof *regions; i++) {
        assert_slice(aws_service_region(&pricing_service, slice_of(regions[i][0])), regions[i][1]);
        assert_slice(aws_service_region(&ec2_service, slice_of(regions[i][0])), regions[i][0]);
    }
}

// R169: aws, aws-cn, aws-us-gov.
TEST(regions_have_partitions) {
    static const char *const regions[][2] = {
        {"us-east-1", "aws"},
        {"us-gov-west-1", "aws-us-gov"},
        {"us-iso-east-1", "aws-iso"},
        {"us-isob-east-1", "aws-iso-b"},
        {"eu-isoe-west-1", "aws-iso-e"},
        {"eusc-de-east-1", "aws-eusc"},
        {"cn-north-1", "aws-cn"},
        {"xx-new-1", "aws"},
        {"", "aws"},
    };

    for (size_t i = 0; i < sizeof regions / sizeof *regions; i++)
        assert_string_equal(aws_partition_of(slice_of(regions[i][0]))->name, regions[i][1]);
}
