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
    HttpLane *next;        // in the pool, or among those that run
    int64_t idle_since_ns; // in the pool
};

struct HttpClient {
    Arena arena; // of the options
    HttpOptions options;
    pthread_mutex_t lock; // guards what is below
    HttpLane *idle;       // newest first
    HttpLane *running;
    uint32_t calls; // that run now and are no streams
    uint32_t streams;
    pthread_cond_t news; // one of them has ended, or `ends_ns` has changed
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
    size_t sent;         // bytes of the body
    size_t header_bytes; // of the answer
    bool too_large, over_budget, held_back, no_descriptor;
} HttpCall;

int64_t http_now_ns(void); // CLOCK_MONOTONIC

// Takes a lane out of the pool, or makes one, once it is the call's turn. ERR_TIMEOUT: it never was. ERR_IO: the client
// was ended, or no file descriptor is left.
ErrCode lane_take(HttpClient *client, const HttpRequest *request, HttpLane **ret_lane, Err *err);
void lane_give_back(HttpClient *client, const HttpRequest *request, HttpLane *lane);
void lanes_free(HttpLane *lane); // and all behind it

// Sets the handle up for the call. `ret_headers` and `ret_connect_to` are freed by the caller after it.
ErrCode http_prepare(HttpCall *call, struct curl_slist **ret_headers, struct curl_slist **ret_connect_to, Err *err);

// Whether the call is to end: by its own handle, or with the client.
bool http_is_stopped(const HttpCall *call);

// Takes the answer apart as it arrives (http_receive.c).
size_t http_take_header(char *bytes, size_t size, size_t count, void *context);
size_t http_take_body(char *bytes, size_t size, size_t count, void *context);

// What to say when no descriptor is left.
Slice http_no_descriptor(Arena *arena);

// "GET https://host:port/path", without user names and query, in `arena`.
Slice http_describe(Arena *arena, const HttpRequest *request);
