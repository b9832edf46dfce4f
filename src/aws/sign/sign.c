// Signatures, and the keys they are made with.
//
// A key is derived from the secret, day, region and service by four HMACs. The cache is small and by turns: a client
// signs for eight services, with other credentials once an hour.
#include "aws/sign/sign.h"

#include "aws/sign/canonical.h"
#include "base/alloc.h"
#include "base/check.h"

#include <openssl/crypto.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>
#include <pthread.h>
#include <stdio.h>

#define ALGORITHM "AWS4-HMAC-SHA256"

enum { KEYS_MAX = 32, SCOPE_MAX = 160, DAY_LEN = 8, DATE_SIZE = sizeof "20261123T080000Z" };

typedef struct {
    char scope[SCOPE_MAX];                      // "20261123/us-east-1/ec2/aws4_request"; empty: none
    unsigned char secret[SHA256_DIGEST_LENGTH]; // hash of the secret
    unsigned char key[SHA256_DIGEST_LENGTH];
} DerivedKey;

struct AwsSigner {
    pthread_mutex_t lock;
    DerivedKey keys[KEYS_MAX];
    uint32_t next; // the one that is replaced next
};

// Without what would end or split a header.
static bool is_header_text(Slice text) {
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.ptr[i] <= ' ' || (unsigned char)text.ptr[i] >= 0x7f)
            return false;
    }
    return true;
}

bool aws_keys_are_sound(const AwsKeys *keys) {
    return keys->access_key.len && keys->secret.len && is_header_text(keys->access_key) &&
           is_header_text(keys->session_token);
}

AwsSigner *aws_signer_new(void) {
    AwsSigner *signer = NEW(AwsSigner);

    pthread_mutex_init(&signer->lock, NULL);
    return signer;
}

void aws_signer_free(AwsSigner *signer) {
    if (!signer)
        return;
    pthread_mutex_destroy(&signer->lock);
    OPENSSL_cleanse(signer, sizeof *signer);
    free(signer);
}

static void hmac(const unsigned char *key, size_t key_len, Slice text, unsigned char *ret_digest) {
    unsigned int len = SHA256_DIGEST_LENGTH;

    CHECK(HMAC(EVP_sha256(), key, (int)key_len, (const unsigned char *)text.ptr, text.len, ret_digest, &len),
          "no HMAC");
}

static void derive(Slice secret, const AwsSignable *signable, Slice day, unsigned char *ret_key) {
    unsigned char digest[SHA256_DIGEST_LENGTH];
    Buffer start = {0};

    buffer_append(&start, SLICE("AWS4"));
    buffer_append(&start, secret);
    hmac((const unsigned char *)start.bytes, start.len, day, digest);
    OPENSSL_cleanse(start.bytes, start.len);
    buffer_free(&start);
    hmac(digest, sizeof digest, signable->region, digest);
    hmac(digest, sizeof digest, signable->service, digest);
    hmac(digest, sizeof digest, SLICE("aws4_request"), ret_key);
    OPENSSL_cleanse(digest, sizeof digest);
}

// The key for a scope, from the cache or derived.
static void find_key(AwsSigner *signer, const AwsKeys *keys, const AwsSignable *signable, const char *scope,
                     unsigned char *ret_key) {
    DerivedKey wanted = {0};
    bool found = false;

    (void)snprintf(wanted.scope, sizeof wanted.scope, "%s", scope);
    SHA256((const unsigned char *)keys->secret.ptr, keys->secret.len, wanted.secret);
    pthread_mutex_lock(&signer->lock);
    for (uint32_t i = 0; i < KEYS_MAX && !found; i++) {
        const DerivedKey *known = &signer->keys[i];

        found = !strcmp(known->scope, wanted.scope) && !memcmp(known->secret, wanted.secret, sizeof wanted.secret);
        if (found)
            memcpy(ret_key, known->key, sizeof known->key);
    }
    pthread_mutex_unlock(&signer->lock);
    if (found)
        return;
    derive(keys->secret, signable, (Slice){scope, DAY_LEN}, wanted.key);
    memcpy(ret_key, wanted.key, sizeof wanted.key);
    pthread_mutex_lock(&signer->lock);
    signer->keys[signer->next++ % KEYS_MAX] = wanted;
    pthread_mutex_unlock(&signer->lock);
    OPENSSL_cleanse(&wanted, sizeof wanted);
}

static void print_date(int64_t wall_ns, char ret_date[DATE_SIZE]) {
    time_t seconds = wall_ns / NS_PER_S;
    struct tm parts;

    gmtime_r(&seconds, &parts);
    CHECK(strftime(ret_date, DATE_SIZE, "%Y%m%dT%H%M%SZ", &parts) == DATE_SIZE - 1, "a date");
}

static void sign_text(AwsSigner *signer, const AwsKeys *keys, const AwsSignable *signable, const char *scope,
                      Slice text, char ret_hex[AWS_DIGEST_HEX + 1]) {
    unsigned char key[SHA256_DIGEST_LENGTH], digest[SHA256_DIGEST_LENGTH];

    find_key(signer, keys, signable, scope, key);
    hmac(key, sizeof key, text, digest);
    OPENSSL_cleanse(key, sizeof key);
    aws_hex(digest, sizeof digest, ret_hex);
}

void aws_sign(AwsSigner *signer, Arena *arena, const AwsKeys *keys, const AwsSignable *signable,
              AwsSignature *ret_signature) {
    char date[DATE_SIZE], scope[SCOPE_MAX], digest[AWS_DIGEST_HEX + 1], signature[AWS_DIGEST_HEX + 1];
    AwsSignature made = {0};
    Buffer buffer = {0};
    Slice text, names;

    print_date(signable->wall_ns, date);
    CHECK(signable->region.len + signable->service.len < SCOPE_MAX - 32, "a scope of %zu letters",
          signable->region.len + signable->service.len);
    (void)snprintf(scope, sizeof scope, "%.*s/%.*s/%.*s/aws4_request", DAY_LEN, date, SLICE_ARG(signable->region),
                   SLICE_ARG(signable->service));
    made.headers[made.header_count++] = (HttpHeader){SLICE("X-Amz-Date"), arena_slice(arena, slice_of(date))};
    if (keys->session_token.len)
        made.headers[made.header_count++] =
            (HttpHeader){SLICE("X-Amz-Security-Token"), arena_slice(arena, keys->session_token)};
    aws_canonical_write(arena, &buffer, signable, made.headers, made.header_count, &names);
    aws_digest_hex(buffer_slice(&buffer), digest);
    OPENSSL_cleanse(buffer.bytes, buffer.len); // it has the session token
    buffer_free(&buffer);
    text = arena_printf(arena, ALGORITHM "\n%s\n%s\n%s", date, scope, digest);
    sign_text(signer, keys, signable, scope, text, signature);
    made.headers[made.header_count++] = (HttpHeader){
        SLICE("Authorization"), arena_printf(arena, ALGORITHM " Credential=%.*s/%s, SignedHeaders=%.*s, Signature=%s",
                                             SLICE_ARG(keys->access_key), scope, SLICE_ARG(names), signature)};
    *ret_signature = made;
}
