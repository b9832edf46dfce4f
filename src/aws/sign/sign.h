// Signature Version 4: the headers that show who sent a request.
//
// As all services but S3 want it: the path is normalized and encoded once more than it is sent, the query is sorted,
// and the hash of the body is in the signature alone. Every header that is given is signed, and the host, the date and
// the session token. Behaviour: reference aws.md 2.5 ("SigV4"). A signer keeps the keys that it derived for a day,
// region and service, so that signing costs two digests of the request and one HMAC.
#pragma once

#include "base/arena.h"
#include "net/http.h"

// Credentials; secrets but for the first. Borrowed wherever they are passed.
typedef struct {
    Slice access_key, secret;
    Slice session_token; // empty: those of a user, which last
} AwsKeys;

// Whether there are a key and a secret, and a header can carry the key and the token: visible ASCII letters. O(length).
bool aws_keys_are_sound(const AwsKeys *keys);

// What a signature is for. Borrowed.
typedef struct {
    const char *method;
    Slice host;  // as in the Host header: with a port that is not the scheme's
    Slice path;  // as it is sent; begins with '/'
    Slice query; // as it is sent, without '?'
    const HttpHeader *headers;
    uint32_t header_count;
    Slice body;
    Slice region, service; // of the signature's scope; "us-east-1", "ec2"
    int64_t wall_ns;       // the service's time: this machine's, with the skew between the two
} AwsSignable;

// The headers to add to the request: Authorization, X-Amz-Date, and X-Amz-Security-Token where there is a token.
enum { AWS_SIGNATURE_HEADERS_MAX = 3 };
typedef struct {
    HttpHeader headers[AWS_SIGNATURE_HEADERS_MAX];
    uint32_t header_count;
} AwsSignature;

typedef struct AwsSigner AwsSigner;

AwsSigner *aws_signer_new(void);
// Wipes the derived keys. NULL is fine.
void aws_signer_free(AwsSigner *signer);

// Signs. The headers live in `arena`. Any thread. O(request).
void aws_sign(AwsSigner *signer, Arena *arena, const AwsKeys *keys, const AwsSignable *signable,
              AwsSignature *ret_signature);
