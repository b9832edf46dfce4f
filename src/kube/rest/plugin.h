// Credential plugins: running a program that prints an ExecCredential.
// Behaviour: Kubernetes' client.authentication.k8s.io/v1.
#pragma once

#include "kube/config/config.h"
#include "net/http.h"

typedef struct {
    Slice token, certificate_pem, key_pem; // empty: not given
    int64_t ends_ns;                       // expiry since 1970; 0: not stated
} PluginCredential;

// Runs the plugin and waits for its end, at most `timeout_ns` and until `client` (may be NULL) is ended; then it is
// killed with all processes that it started. Its standard error is tenon's. Texts are in `arena`. Error messages never
// contain its output, which may be a secret. ERR_NOT_FOUND: no such program (with the install hint). ERR_IO: it failed.
// ERR_TIMEOUT. ERR_INVALID: its output.
ErrCode plugin_run(Arena *arena, const KubeExec *exec, HttpClient *client, int64_t timeout_ns,
                   PluginCredential *ret_credential, Err *err);

// Parses the output of a plugin: an ExecCredential of the version that `exec` names, with a token, or a certificate and
// its key. ERR_INVALID.
ErrCode plugin_read(Arena *arena, const KubeExec *exec, Slice text, PluginCredential *ret_credential, Err *err);
