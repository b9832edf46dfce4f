// Who tenon is to the API server, fresh at any time: tokens that the kubelet renews, plugins whose credentials end.
//
// A token file is read again when a minute has passed (client-go's way: service account tokens live an hour and are
// renewed at four fifths of it). A plugin is run again shortly before its credential ends, or when the server refused
// it. While one thread renews, the others wait for it.
// When that fails, the credential there is goes on being used until it ends or is refused. A plugin that fails is left
// alone for some seconds, and one whose fresh credential is refused as well: a hundred calls that wait shall not start
// it a hundred times.
#pragma once

#include "base/time.h"
#include "kube/config/config.h"
#include "net/http.h"

typedef struct Credentials Credentials;

// What one call is made with; lives in the arena it was asked for with.
typedef struct {
    Slice authorization; // value of the header; empty: none
    HttpIdentity identity;
    uint64_t generation; // which renewal it is from
} Credential;

// Durations go by `now`; only when a plugin says until when its credential is valid, that is held against `wall_ns`,
// which should be the API server's time: it is the one who refuses it.
typedef struct {
    Mono (*now)(void *context);
    int64_t (*wall_ns)(void *context);
    void *context;
} CredentialsClock;

// `config` and `client` are borrowed and must outlive it. `client`: when it is over, no plugin runs any longer; NULL:
// nobody says so. `plugin_max_ns`: how long a plugin may run.
Credentials *credentials_new(const KubeConfig *config, HttpClient *client, int64_t plugin_max_ns,
                             CredentialsClock clock);
void credentials_free(Credentials *credentials);

// ERR_IO, ERR_NOT_FOUND, ERR_INVALID, ERR_TIMEOUT: the file cannot be read, or the plugin failed; the text names it.
ErrCode credentials_get(Credentials *credentials, Arena *arena, Credential *ret_credential, Err *err);

// The server refused the credential of that generation (HTTP 401): whether asking again may give another one.
bool credentials_refused(Credentials *credentials, uint64_t generation);
