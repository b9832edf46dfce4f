// What the files of the HTTP client share: the client, its lanes, and the handle to stop calls.
#pragma once

#include "base/arena.h"
#include "net/http.h"

#include <curl/curl.h>
#include <pthread.h>
#include <stdatomic.h>

// One connection and its libcurl handles. A lane belongs to the pool or to one call.
typedef struct HttpLane HttpLane;
struct HttpLane {
    CURLM *multi; // keeps the connection; waited on, so that another thread can wake the call up
    CURL *easy;
    HttpLane *next;  // in the pool, or among those that run
    Mono idle_since; // in the pool
};

struct HttpClient {
    Arena arena; // of the options
    HttpOptions options;
    pthread_mutex_t lock; // guards what is below
    HttpLane *idle;       // newest first
    HttpLane *running;
    uint32_t calls; // that run now and are no streams
    uint32_t streams;
    pthread_cond_t wakeup; // one of them has ended, or `ends_ns` has changed
    _Atomic int64_t ends_ns;
};

struct HttpStop {
    pthread_mutex_t lock;
    CURLM *waiting; // of the call that uses it now
    atomic_bool stopped;
};

// How long a connection is kept without a call: below the 90 s after which API servers close theirs.
enum { KEPT_MAX_S = 60 };

// One call while it runs: what libcurl's callbacks see.
typedef struct {
    HttpClient *client;
    const HttpRequest *request;
    HttpReply *reply;
    CURL *easy;
    Mono begun;
    size_t sent;         // bytes of the body
    size_t header_bytes; // of the answer
    bool too_large, over_budget, held_back, no_descriptor;
} HttpCall;

// Whether the call is to end: by its own handle, or with the client (http.c).
bool http_is_stopped(const HttpCall *call);
