// Credentials: tenon's current credential for the API server. Tokens that the kubelet renews are read again, and
// plugins whose credentials expire are run again.
//
// A token file is read again after a minute (as in client-go: service account tokens live an hour and are renewed at
// four fifths of it). A plugin is run again shortly before its credential expires, or when the server refused it. While
// one thread renews, the others wait for it. When renewal fails, the present credential is used until it expires or is
// refused. A plugin that fails, or whose new credential is refused, is not run again for some seconds, so that a
// hundred waiting calls do not start it a hundred times.
#pragma once

#include "base/time.h"
#include "kube/config/config.h"
#include "net/http.h"

typedef struct Credentials Credentials;

// The credential of one call; in the arena that was given for it.
typedef struct {
    Slice authorization; // value of the header; empty: none
    HttpIdentity identity;
    uint64_t generation; // number of the renewal
} Credential;

// Clocks. `now` measures durations; `wall_ns` is compared with the expiry time that a plugin states, and should be the
// API server's time, because that server refuses the credential.
typedef struct {
    Mono (*now)(void *context);
    int64_t (*wall_ns)(void *context);
    void *context;
} CredentialsClock;

// `config` and `client` are borrowed and must outlive the Credentials. `client`: when it is ended, a running plugin is
// killed; NULL: never. `plugin_max_ns`: how long a plugin may run.
Credentials *credentials_new(const KubeConfig *config, HttpClient *client, int64_t plugin_max_ns,
                             CredentialsClock clock);
void credentials_free(Credentials *credentials);

// The current credential. ERR_IO, ERR_NOT_FOUND, ERR_INVALID, ERR_TIMEOUT: the file cannot be read, or the plugin
// failed; the text names it.
ErrCode credentials_get(Credentials *credentials, Arena *arena, Credential *ret_credential, Err *err);

// Reports that the server refused the credential of that generation (HTTP 401). Returns whether another call of
// credentials_get may give a different one.
bool credentials_refused(Credentials *credentials, uint64_t generation);
