// What the files of the REST client share.
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
    MemoryBudget budget; // of the answers under way
    Credentials *credentials;
    ServerClock clock;
    atomic_bool no_initial_events; // the server is too old for sendInitialEvents: watches list first
};

// One call. `url` is built by rest_url and freed by the caller.
typedef struct {
    const char *verb; // for the observer
    const char *method;
    KubeKind kind;
    Buffer url;
    const char *content_type; // NULL: no body
    const Value *body;
    HttpSink sink; // of a 2xx answer; take NULL: it goes into the reply
    int64_t timeout_ns;
    size_t answer_bytes_max;
    HttpStop *stop;
    bool unlimited;   // does not wait for the limiter
    bool is_stream;   // lasts for minutes
    uint32_t pace_ms; // of a stream (net/http.h)
    bool impatient;   // a 429 or 503 goes to the caller at once
} RestCall;

extern const KubeTable rest_table;

// KubeTable.now: the API server's time (rest.c).
bool rest_now(void *self, int64_t *ret_wall_ns);
