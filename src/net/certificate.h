// Certificates made and read, for servers that make their own: OpenSSL behind a few functions.
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"

#include <stdbool.h>

// What a certificate is to say. `names`: DNS names, the first of which is the common name, too.
typedef struct {
    const Slice *names;
    size_t count;            // at most CERTIFICATE_NAMES_MAX
    int64_t from_s, until_s; // since 1970
} CertificateRequest;

enum { CERTIFICATE_NAMES_MAX = 16, CERTIFICATE_NAME_MAX = 253, CERTIFICATE_BYTES_MAX = 64 << 10 };

// A server's certificate with its key, and the certificate of an authority that was made for it and whose key is
// forgotten. PEM. ECDSA on P-256.
typedef struct {
    Slice key_pem, certificate_pem, authority_pem;
} Certificate;

// Makes one. ERR_INVALID: a name that is none; ERR_IO: no randomness.
ErrCode certificate_make(Arena *arena, const CertificateRequest *request, Certificate *ret_certificate, Err *err);

// Whether a key belongs to a certificate of that authority, which has all of these names; ret_until_s: when the first
// of the two ends. Texts beyond CERTIFICATE_BYTES_MAX are none. `authority_pem` may have several; the certificate is of
// one of them.
bool certificate_is_sound(const Certificate *certificate, const CertificateRequest *request, int64_t *ret_until_s);

// The certificates of a bundle that are still valid at that time, at most `most`, each once, in their order; what is no
// certificate ends it. Empty: none.
Slice certificate_bundle(Arena *arena, Slice pem, int64_t at_s, uint32_t most);
