// A Kube around another one that counts its calls: client_go_request_total and client_go_request_duration_seconds.
#pragma once

#include "kube/kube.h"
#include "obs/registry.h"

typedef struct {
    Kube inner;
    Registry *registry;
    Mono (*now)(void *clock);
    void *clock;
} KubeMeter;

// `meter` is the caller's and must outlive what is called through the Kube. Adds some 200 ns to a call. A watch counts
// when it was begun; how long it lives is not a duration of a call.
Kube kube_metered(KubeMeter *meter);
