// Running a credential plugin: a program that prints an ExecCredential.
// Behaviour: Kubernetes' client.authentication.k8s.io/v1.
#pragma once

#include "kube/config/config.h"

typedef struct {
    Slice token, certificate_pem, key_pem; // empty: not given
    int64_t ends_ns;                       // since 1970; 0: does not say
} PluginCredential;

// Runs it and waits for at most a minute; its standard error goes to tenon's. Texts live in `arena`.
// ERR_NOT_FOUND: no such program (with the install hint). ERR_IO: it failed. ERR_TIMEOUT. ERR_INVALID: what it prints.
ErrCode plugin_run(Arena *arena, const KubeExec *exec, PluginCredential *ret_credential, Err *err);
