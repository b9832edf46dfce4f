// The webhooks' certificate, in a Secret that all replicas share.
//
// Whoever finds it missing, unsound or near its end makes another one and writes it under the Secret's resourceVersion:
// of two that do, one is refused, reads what the other wrote, and takes that. The authority of the former certificate
// stays beside the new one in ca-cert.pem until it ends, so that replicas that still serve the former are trusted
// meanwhile. Nobody keeps the key of an authority: each signs one certificate.
//
// Behaviour: reference legacy.md 5.5 (names of the keys, ECDSA, 7 days, 24 hours before the end), R152. Not as there: a
// Secret that is missing is made, for who has no chart.
#pragma once

#include "kube/kube.h"
#include "net/certificate.h"

enum { HOOK_NAMES = 5, HOOK_NAME_MAX = 63, HOOK_CERTIFICATE_DAYS = 7, HOOK_AUTHORITIES_MAX = 4 };

// The Service in front of the webhooks; the Secret is "<service>-cert" beside it.
typedef struct {
    Slice ns, service; // at most HOOK_NAME_MAX bytes each
} HookService;

typedef struct {
    Certificate certificate; // authority_pem: all that are to be trusted
    bool made;               // by this call
} HookSecret;

// Reads the Secret, or makes the certificate and writes it. Blocks for some calls. On an error of the API server
// `error` says what; ERR_CONFLICT: the others were faster again and again.
ErrCode hook_secret_keep(Kube kube, Arena *arena, const HookService *service, int64_t now_s, HookSecret *ret_secret,
                         KubeError *error);
