// Internals of the REST client, shared by its files.
#pragma once

#include "kube/rest/credentials.h"
#include "kube/rest/json_filter.h"
#include "kube/rest/rest.h"
#include "kube/rest/server_clock.h"
#include "net/limiter.h"

#include <stdatomic.h>

struct KubeRest {
    Arena arena; // of config and options
    KubeConfig config;
    KubeRestOptions options;
    HttpClient *http;
    Limiter limiter;
    MemoryBudget budget; // of all answers in memory
    Credentials *credentials;
    ServerClock clock;
    atomic_bool no_initial_events; // the server is too old for sendInitialEvents: watches list first
};

// One request. `url` is made by rest_url; the caller frees it.
typedef struct {
    const char *verb; // for the observer
    const char *method;
    KubeKind kind;
    Buffer url;
    const char *content_type; // NULL: no body
    const Value *body;
    HttpSink sink; // of a 2xx answer; take NULL: the answer goes into the reply
    int64_t timeout_ns;
    size_t answer_bytes_max;
    HttpStop *stop;
    bool unlimited;   // does not wait for the rate limiter
    bool is_stream;   // a long-lived stream
    uint32_t pace_ms; // of a stream (net/http.h)
    bool impatient;   // 429 and 503 are returned to the caller without a retry
} RestCall;

extern const KubeTable rest_table;

// KubeTable.now: the API server's time (rest.c).
bool rest_now(void *self, int64_t *ret_wall_ns);
