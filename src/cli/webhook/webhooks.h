// The webhooks of 2023 in a process of `tenon run`: their server, and the thread that keeps their certificate.
//
// Every replica serves, whoever holds the Lease: reviews are answered from what is in them. The thread looks every
// WEBHOOKS_LOOK_S at the Secret and the configurations; so all replicas have one certificate soon after one has made
// it. A new certificate is served WEBHOOKS_SETTLE_S after its authority is in the configurations, when every API server
// has seen that; the former authority is in them, too. Behaviour: reference legacy.md 5.5, R146, R152, R157.
#pragma once

#include "cli/run/json_log.h"
#include "cli/webhook/hook_secret.h"

enum { WEBHOOKS_LOOK_S = 20, WEBHOOKS_RETRY_S = 2, WEBHOOKS_SETTLE_S = 10, WEBHOOKS_THREADS = 4 };

typedef struct {
    Kube kube; // outside of the Lease; its calls end within seconds
    HookService service;
    uint16_t port; // 0: a free one
    JsonLog *log;
    void (*served)(void *self); // called once, by the thread, when the port answers; NULL: not needed
    void *self;
    int64_t look_ns, retry_ns, settle_ns; // 0: as above
} WebhooksConfig;

typedef struct Webhooks Webhooks;

// Starts the thread; `config` is copied, what it points to must outlive the Webhooks. ERR_INVALID: names that are none;
// ERR_IO: no thread.
ErrCode webhooks_start(const WebhooksConfig *config, Webhooks **ret_webhooks, Err *err);
// Finishes the answers under way, and waits for a running call. NULL is fine.
void webhooks_stop(Webhooks *webhooks);

// The port that is served; 0: none yet. Any thread.
uint16_t webhooks_port(Webhooks *webhooks);
