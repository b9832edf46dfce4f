// KubeRest: the table of kube.h over HTTP, the client of a real API server.
//
// Calls block the calling thread; each takes a connection out of a pool and puts it back. Each watch has a thread and a
// connection of its own; the server ends it (about every eight minutes, or by an error), and its caller starts it again
// from the last revision delivered.
//
// Memory. A call holds its answer as text and as Values, each with a maximum; a watch holds one event; and all of them
// together have a budget. Lists and watches drop managedFields and whatever tenon never reads while the bytes arrive
// (json_filter.h); get and the writes return whole objects, because these may be sent back.
//
// Connections. One per running call (at most 64; more wait) and one per watch. A call on a kept connection that turns
// out to be dead is repeated on another one if it is a read, or had sent nothing of its body.
//
// Throttling. Calls wait for the rate limiter (QPS and burst, as in client-go); watches do not. HTTP 429 and 503 with a
// Retry-After of at most 5 s are retried, as client-go does, within the timeout of the call. Exceptions: evictions,
// which a PodDisruptionBudget may refuse for long, and watches, which their caller starts again. HTTP 401 is retried
// once with fresh credentials. Everything else is returned to the caller, with retry_after_ns where the server states
// one. Error messages contain no secrets (tokens, keys, passwords, bodies).
// a time. Secrets (tokens, keys, passwords, bodies) stand in no message.
#pragma once

#include "kube/config/config.h"
#include "kube/kube.h"
#include "net/http.h"

// Observes each finished request, for metrics. `code`: HTTP status; 0: no answer. Called on the calling thread; must be
// quick and thread-safe. A watch is reported with its first event. `verb`: "get", "list", "create", "update", "patch",
// "delete", "watch".
typedef struct {
    void (*done)(void *context, const char *verb, KubeKind kind, int code, int64_t duration_ns);
    void *context;
} KubeRestObserver;

// Options; {0} means the defaults in brackets.
typedef struct {
    double qps;     // sustained calls per second [200]; negative: no limit
    uint32_t burst; // burst of calls [300]
    // From the call to the end of its answer, including retries, not including the wait for the limiter; and the same
    // again for a credential plugin. [60 s]
    int64_t call_timeout_ns;
    int64_t watch_timeout_ns; // longest life of a watch; a random time from half of it to all of it [10 min]
    size_t answer_bytes_max;  // of one answer after decompression and filtering [256 MiB]
    size_t event_bytes_max;   // of one event of a watch, likewise [16 MiB]
    // Of all answers and events in memory together, as text and as Values: what exceeds it is ERR_TOO_LARGE. [96 MiB]
    size_t answers_bytes_max;
    Slice user_agent;          // ["karpenter/<version>"]
    bool whole_objects;        // lists and watches drop no members
    KubeRestObserver observer; // [none]
    HttpGate gate;             // checked before writes: net/http.h [always open]
} KubeRestOptions;

typedef struct KubeRest KubeRest;

// Makes a client, without connecting. `config` and `options` (NULL: all defaults) are copied. Any thread may use it.
// Several clients may exist, each with its own limiter and connections (the lease has one, so that bulk traffic cannot
// make it lose the Lease). Does not fail at present; certificates, keys and addresses that cannot be used are reported
// by the first call.
ErrCode kube_rest_open(const KubeConfig *config, const KubeRestOptions *options, KubeRest **ret_rest, Err *err);

// The table of functions over it, valid until kube_rest_close.
Kube kube_rest_kube(KubeRest *rest);

// Gets an absolute path of the API server ("/readyz", "/version"); the answer's text is in `arena`.
ErrCode kube_rest_probe(KubeRest *rest, Arena *arena, Slice path, Slice *ret_answer, KubeError *error);

// The same with the time, the size and the turn of a call: for objects whose kinds are none of kube/kind.h
// ("/apis/karpenter.sh/v1alpha5/provisioners"). ERR_NOT_FOUND: the server does not serve that path.
ErrCode kube_rest_read(KubeRest *rest, Arena *arena, Slice path, Slice *ret_answer, KubeError *error);

// Posts a question of which nothing is kept (a SelfSubjectAccessReview), with the time of such a call; the answer is in
// `arena`. No field manager, no gate: it changes nothing.
ErrCode kube_rest_ask(KubeRest *rest, Arena *arena, Slice path, const Value *question, Value *ret_answer,
                      KubeError *error);

// Ends all calls after that time (INT64_MAX: never), whatever the server does: in a transfer, waiting for a turn or for
// a retry, or in a credential plugin. They fail with ERR_IO, "stopped". Watches end by unwatch. Any thread; each call
// replaces the former one.
void kube_rest_end_within(KubeRest *rest, int64_t rest_ns);

// Frees the client. Watches must have ended, and no call may be running. NULL is fine.
void kube_rest_close(KubeRest *rest);
