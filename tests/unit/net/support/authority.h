// A certificate authority for tests: makes keys and certificates in memory, in milliseconds.
#pragma once

#include "base/arena.h"

typedef struct Authority Authority;

typedef struct {
    Slice certificate_pem, key_pem;
} Issued;

Authority *authority_new(const char *name);
void authority_free(Authority *authority);
// Its own certificate, valid for a day.
Slice authority_pem(const Authority *authority, Arena *arena);
// A certificate signed by it, valid for a day, for servers and clients. `names` as OpenSSL's configuration has them:
// "DNS:localhost,IP:127.0.0.1".
Issued authority_issue(const Authority *authority, Arena *arena, const char *common_name, const char *names);
