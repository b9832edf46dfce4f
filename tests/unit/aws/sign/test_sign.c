// Signatures: what they depend on. That they are right shows beside botocore's (tests/aws/wire).
#include "aws/sign/grant.h"
#include "aws/sign/sign.h"
#include "aws/support/wire.h"

static const AwsKeys keys = {SLICE_INIT("AKID"), SLICE_INIT("secret"), SLICE_INIT("")};

static AwsSignable plain(void) {
    return (AwsSignable){
        .method = "POST",
        .host = SLICE("ec2.us-east-1.amazonaws.com"),
        .path = SLICE("/"),
        .body = SLICE("Action=DescribeSubnets"),
        .region = SLICE("us-east-1"),
        .service = SLICE("ec2"),
        .wall_ns = INT64_C(1795420800) * NS_PER_S,
    };
}

// The Authorization header.
static const char *authorization(AwsSigner *signer, Arena *arena, const AwsKeys *of, const AwsSignable *signable) {
    AwsSignature signature;

    aws_sign(signer, arena, of, signable, &signature);
    return arena_text(arena, signature.headers[signature.header_count - 1].value);
}

TEST(a_signature_depends_on_all_that_it_covers) {
    const HttpHeader header = {SLICE("X-Amz-Target"), SLICE("a")};
    AwsSigner *signer = aws_signer_new();
    Arena arena = {0};
    AwsSignable changed[8];
    const char *first;

    for (size_t i = 0; i < 8; i++)
        changed[i] = plain();
    changed[0].method = "GET";
    changed[1].host = SLICE("ec2.us-east-2.amazonaws.com");
    changed[2].path = SLICE("/a");
    changed[3].query = SLICE("a=b");
    changed[4].body = SLICE("Action=DescribeImages");
    changed[5].region = SLICE("us-east-2");
    changed[6].headers = &header;
    changed[6].header_count = 1;
    changed[7].wall_ns += NS_PER_S;
    first = authorization(signer, &arena, &keys,
                          &(AwsSignable){plain().method,
                                         plain().host,
                                         plain().path,
                                         {0},
                                         NULL,
                                         0,
                                         plain().body,
                                         plain().region,
                                         plain().service,
                                         plain().wall_ns});
    for (size_t i = 0; i < 8; i++)
        assert_string_not_equal(authorization(signer, &arena, &keys, &changed[i]), first);
    aws_signer_free(signer);
    arena_free(&arena);
}

TEST(a_key_that_was_kept_is_not_used_for_another_secret_or_day) {
    const AwsKeys other = {keys.access_key, SLICE("another"), SLICE("")};
    AwsSigner *used = aws_signer_new();
    AwsSignable today = plain(), tomorrow = plain();
    Arena arena = {0};

    tomorrow.wall_ns += NS_PER_DAY;
    authorization(used, &arena, &keys, &today);
    for (int i = 0; i < 100; i++) { // more than are kept
        const AwsSignable *signable = i % 2 ? &tomorrow : &today;
        const AwsKeys *of = i % 3 ? &other : &keys;
        AwsSigner *fresh = aws_signer_new();

        assert_string_equal(authorization(used, &arena, of, signable), authorization(fresh, &arena, of, signable));
        aws_signer_free(fresh);
    }
    aws_signer_free(used);
    arena_free(&arena);
}

TEST(a_session_token_is_sent_and_signed) {
    const AwsKeys session = {SLICE("ASIA"), SLICE("secret"), SLICE("token")};
    AwsSigner *signer = aws_signer_new();
    AwsSignable signable = plain();
    AwsSignature signature;
    Arena arena = {0};

    aws_sign(signer, &arena, &session, &signable, &signature);
    assert_int_equal(signature.header_count, 3);
    assert_slice(signature.headers[1].name, "X-Amz-Security-Token");
    assert_slice(signature.headers[1].value, "token");
    assert_true(
        slice_contains(signature.headers[2].value, SLICE("SignedHeaders=host;x-amz-date;x-amz-security-token,")));
    aws_signer_free(signer);
    arena_free(&arena);
}

TEST(a_grant_holds_its_own_copy) {
    char secret[] = "secret";
    AwsGrant *grant = aws_grant_new(&(AwsKeys){SLICE("AKID"), SLICE(secret), SLICE("")}, 7);

    secret[0] = 'x';
    aws_grant_hold(grant);
    aws_grant_drop(grant);
    assert_slice(aws_grant_keys(grant)->access_key, "AKID");
    assert_slice(aws_grant_keys(grant)->secret, "secret");
    assert_int_equal(aws_grant_keys(grant)->session_token.len, 0);
    assert_int_equal(aws_grant_expires_ns(grant), 7);
    aws_grant_drop(grant);
}
