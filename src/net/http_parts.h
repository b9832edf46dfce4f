// Internals of the HTTP client, shared by its files: the client, its lanes, and the handle to stop calls.
#pragma once

#include "base/arena.h"
#include "net/http.h"

#include <curl/curl.h>
#include <pthread.h>
#include <stdatomic.h>

// One connection and its libcurl handles. A lane belongs to the pool or to one call.
typedef struct HttpLane HttpLane;
struct HttpLane {
    CURLM *multi; // owns the connection; polled, so that another thread can wake the call
    CURL *easy;
    HttpLane *next;  // in the pool, or in the list of running lanes
    Mono idle_since; // in the pool
};

struct HttpClient {
    Arena arena; // of the options
    HttpOptions options;
    pthread_mutex_t lock; // guards the following members
    HttpLane *idle;       // newest first
    HttpLane *running;
    uint32_t calls; // running calls that are not streams
    uint32_t streams;
    pthread_cond_t wakeup; // signalled when a call ended or `ends_ns` changed
    _Atomic int64_t ends_ns;
};

struct HttpStop {
    pthread_mutex_t lock;
    CURLM *waiting; // the multi handle of the call that uses it now
    atomic_bool stopped;
};

// How long an idle connection is kept: less than the 90 s after which API servers close theirs.
enum { KEPT_MAX_S = 60 };

// State of a running call, for libcurl's callbacks.
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

// Whether the call is to end: by its own HttpStop, or with the client (http.c).
bool http_is_stopped(const HttpCall *call);
