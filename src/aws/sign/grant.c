// Grants: one block of memory each, so that one wipe is enough.
#include "aws/sign/grant.h"

#include "base/alloc.h"

#include <openssl/crypto.h>
#include <stdatomic.h>

struct AwsGrant {
    atomic_uint holders;
    int64_t expires_ns;
    AwsKeys keys;
    size_t size; // of the block
    char text[];
};

static Slice put(char **at, Slice text) {
    Slice copy = {*at, text.len};

    if (text.len)
        memcpy(*at, text.ptr, text.len);
    *at += text.len;
    return copy;
}

AwsGrant *aws_grant_new(const AwsKeys *keys, int64_t expires_ns) {
    size_t size = sizeof(AwsGrant) + keys->access_key.len + keys->secret.len + keys->session_token.len;
    AwsGrant *grant = alloc_raw(size);
    char *at = grant->text;

    atomic_init(&grant->holders, 1);
    grant->expires_ns = expires_ns;
    grant->size = size;
    grant->keys.access_key = put(&at, keys->access_key);
    grant->keys.secret = put(&at, keys->secret);
    grant->keys.session_token = put(&at, keys->session_token);
    return grant;
}

AwsGrant *aws_grant_hold(AwsGrant *grant) {
    atomic_fetch_add(&grant->holders, 1);
    return grant;
}

void aws_grant_drop(AwsGrant *grant) {
    if (!grant || atomic_fetch_sub(&grant->holders, 1) != 1)
        return;
    OPENSSL_cleanse(grant, grant->size);
    free(grant);
}

const AwsKeys *aws_grant_keys(const AwsGrant *grant) {
    return &grant->keys;
}

int64_t aws_grant_expires_ns(const AwsGrant *grant) {
    return grant->expires_ns;
}
