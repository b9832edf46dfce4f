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
    HttpLane *next;        // in the pool
    int64_t idle_since_ns; // likewise
};

struct HttpClient {
    Arena arena; // of the options
    HttpOptions options;
    pthread_mutex_t lock; // guards what is below
    HttpLane *idle;       // newest first
    uint32_t calls;       // that run now and are no streams
    uint32_t streams;
    pthread_cond_t call_ended; // one of them
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
    const HttpClient *client;
    const HttpRequest *request;
    HttpReply *reply;
    CURL *easy;
    size_t sent; // bytes of the body
    bool too_large, held_back;
} HttpCall;
