// The table of kube.h over HTTP: a client of a real API server.
//
// Calls are straight-line and block the calling thread; each takes a connection out of a pool and puts it back. Each
// watch has a thread and a connection of its own, ends when the server says so (about every eight minutes, or by an
// error), and is started again by its caller from the last revision told.
// Memory. A call holds its answer once as text and once as Values, each with a stated maximum; a watch holds one
// event; and all of them together have one. Lists and watches drop managedFields and what tenon never reads while bytes
// arrive (json_filter.h); what get and the writes return is whole, because it may be sent back.
//
// Connections. One for each call that runs (64 at most; more wait) and one for each watch; a call that meets one that
// died meanwhile is done again on another if it reads, or had sent nothing of its body.
//
// Throttling. Calls wait for the limiter (QPS and burst, as client-go's); watches do not. HTTP 429 and 503 that say
// when to come again, at most 5 s later, are obeyed and repeated, as client-go does, within the time of the call; but
// evictions, of which a budget may want to say no for long, and watches, which their caller starts again. HTTP 401 is
// repeated once with fresh credentials. Everything else goes to the caller, with retry_after_ns where the server names
// a time. Secrets (tokens, keys, passwords, bodies) stand in no message.
#pragma once

#include "kube/config/config.h"
#include "kube/kube.h"
#include "net/http.h"

// What is told about each finished request: for metrics. `code`: HTTP; 0: no answer. Called on the calling thread, must
// be quick and thread-safe. A watch that is answered is told with its first event. `verb`: "get", "list", "create",
// "update", "patch", "delete", "watch".
typedef struct {
    void (*done)(void *context, const char *verb, KubeKind kind, int code, int64_t duration_ns);
    void *context;
} KubeRestObserver;

// {0} means the defaults in brackets.
typedef struct {
    double qps;     // calls per second in the long run [200]; negative: no limit
    uint32_t burst; // calls at once [300]
    // From the call to the end of its answer, repetitions included, waiting for the limiter not; and again for a
    // credential plugin. [60 s]
    int64_t call_timeout_ns;
    int64_t watch_timeout_ns; // how long a watch lives at most; half to whole of it at random [10 min]
    size_t answer_bytes_max;  // of one answer after unpacking and dropping [256 MiB]
    size_t event_bytes_max;   // of one event of a watch, likewise [16 MiB]
    // Of all answers and events under way together, as text and as Values: what does not fit is ERR_TOO_LARGE. [96 MiB]
    size_t answers_bytes_max;
    Slice user_agent;          // ["karpenter/<version>"]
    bool whole_objects;        // lists and watches drop nothing
    KubeRestObserver observer; // [nobody]
    HttpGate gate;             // of calls that change something: net/http.h [open]
} KubeRestOptions;

typedef struct KubeRest KubeRest;

// Makes a client; connects nothing yet. `config` and `options` (NULL: all defaults) are copied. Threads: any may call.
// Several clients may exist, each with its own limiter and connections (the lease has one, so that bulk traffic cannot
// lose it).
// Fails for nothing today; certificates, keys and addresses that cannot be used are found by the first call.
ErrCode kube_rest_open(const KubeConfig *config, const KubeRestOptions *options, KubeRest **ret_rest, Err *err);

// The table of functions over it, valid until kube_rest_close.
Kube kube_rest_kube(KubeRest *rest);

// Asks an absolute path of the API server ("/readyz", "/version"): the answer's text goes into `arena`.
ErrCode kube_rest_probe(KubeRest *rest, Arena *arena, Slice path, Slice *ret_answer, KubeError *error);

// After so long (INT64_MAX: never) no call goes on, whatever the server does, be it in a
// transfer, waiting for its turn, for a time the server named, or for a credential plugin: ERR_IO, "stopped". Watches
// end by unwatch. Any thread; counts as it was said last.
void kube_rest_end_within(KubeRest *rest, int64_t rest_ns);

// Frees it. Watches must have been ended, and no call may be running. NULL is fine.
void kube_rest_close(KubeRest *rest);
