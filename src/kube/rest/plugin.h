// Running a credential plugin: a program that prints an ExecCredential.
// Behaviour: Kubernetes' client.authentication.k8s.io/v1.
#pragma once

#include "kube/config/config.h"
#include "net/http.h"

typedef struct {
    Slice token, certificate_pem, key_pem; // empty: not given
    int64_t ends_ns;                       // since 1970; 0: does not say
} PluginCredential;

// Runs it and waits for its end, at most `timeout_ns` and until `client` (NULL: nobody) is over; then it is killed
// with all that it started. Its standard error
// goes to tenon's. Texts live in `arena`. No error says what it printed: that may be a secret.
// ERR_NOT_FOUND: no such program (with the install hint). ERR_IO: it failed. ERR_TIMEOUT. ERR_INVALID: what it prints.
ErrCode plugin_run(Arena *arena, const KubeExec *exec, HttpClient *client, int64_t timeout_ns,
                   PluginCredential *ret_credential, Err *err);

// What a plugin has printed: an ExecCredential of the version that `exec` names, with a token or a certificate and its
// key. ERR_INVALID.
ErrCode plugin_read(Arena *arena, const KubeExec *exec, Slice text, PluginCredential *ret_credential, Err *err);
