// KubeMeter: a Kube that counts the calls of another one: client_go_request_total and
// client_go_request_duration_seconds.
#pragma once

#include "kube/kube.h"
#include "obs/registry.h"

typedef struct {
    Kube inner;
    Registry *registry;
    Mono (*now)(void *clock);
    void *clock;
} KubeMeter;

// The metered Kube. `meter` is the caller's and must outlive its use. Adds some 200 ns to a call. Of a watch the start
// is counted, not its life, which is no duration of a call.
Kube kube_metered(KubeMeter *meter);
