// HTTP client: blocking calls over a pool of kept connections.
//
// A call takes a lane (one connection and its libcurl handles) out of the pool, uses it alone and puts it back. The
// most recently used lane is taken first, so that idle ones age and are closed when a call ends. HTTP/1.1 on purpose:
// one connection carries one call, so no call waits behind another's bytes, and a broken connection fails one call
// only. There are never more connections than calls_max plus the running streams.
// When a kept connection turns out to be dead (the server was restarted), a GET is repeated on another connection, and
// so is a call that had not begun to send its body. Every other call is sent at most once: it fails with ERR_IO, and
// the caller finds out whether it took effect.
//
// Threads: any thread may call. Memory: replies are bounded by the caller, each and in total; certificates and keys are
// PEM in memory. Error messages name method, scheme, host, port and path; never queries, headers, bodies or proxies,
// which may contain secrets.
#pragma once

#include "base/arena.h"
#include "base/buffer.h"
#include "base/err.h"
#include "base/memory_budget.h"
#include "base/time.h"

typedef struct HttpClient HttpClient;
typedef struct HttpStop HttpStop;

typedef struct {
    Slice name, value;
} HttpHeader;

// Called with the Date header of each answer, when its headers are complete, on the calling thread: at some moment
// between `sent` and `seen` (clock_system_awake) the server's clock was within the second that begins at date_ns.
typedef struct {
    void (*told)(void *context, int64_t date_ns, Mono sent, Mono seen);
    void *context;
} HttpDates;

// Options of a client; {0} means the defaults in brackets. Copied by http_client_new.
typedef struct {
    Slice ca_pem;               // CA certificates to trust instead of the system's [the system's]
    Slice tls_name;             // name to verify in the server's certificate [the host of the URL]
    bool insecure;              // do not verify the server's certificate
    Slice proxy_url;            // [HTTPS_PROXY, HTTP_PROXY, NO_PROXY; never for loopback, as Go's clients do, nor for
                                // link-local addresses, where a machine's metadata is served]
    Slice user_agent;           // [none]
    bool no_gzip;               // [gzip is offered]
    int64_t connect_timeout_ns; // until the connection can be used, TLS included [10 s]
    uint32_t idle_max;          // idle connections that are kept [32]
    HttpDates dates;            // [none]
    uint32_t calls_max;         // concurrent calls that are not streams; others wait [64]
    MemoryBudget *budget;       // of all replies in memory: an answer that exceeds it is ERR_TOO_LARGE; borrowed [none]
} HttpOptions;

// Client certificate; both empty: none. Connections are shared only among calls of the same identity.
typedef struct {
    Slice certificate_pem, key_pem;
} HttpIdentity;

// Receives the body of a 2xx answer piece by piece, decompressed. `take` returns false to end the call with OK and
// `ended_early` in the reply.
typedef struct {
    bool (*take)(void *context, Slice bytes);
    void *context;
} HttpSink;

// Called before the first byte of the body is sent, after all waiting (for a connection, for TLS): the last moment at
// which the call can be stopped. `is_open` returns false to end the call with ERR_IO; the server then has no complete
// request to act on.
typedef struct {
    bool (*is_open)(void *context);
    void *context;
} HttpGate;

typedef struct {
    const char *method;
    Slice url;
    const HttpHeader *headers;
    uint32_t header_count;
    const HttpIdentity *identity; // NULL: no client certificate
    bool has_body;
    Slice body;
    HttpGate gate;          // checked before the body; is_open NULL: always open
    int64_t timeout_ns;     // of the call, and before that of the wait for calls_max; 0: none
    size_t reply_bytes_max; // bound of HttpReply.body; 0: 64 KiB
    HttpSink sink;          // take NULL: the body goes into the reply
    HttpStop *stop;         // NULL: cannot be stopped
    bool is_stream;         // a long-lived stream: does not count among calls_max
    bool keeps_headers;     // the answer's headers go into the reply
    uint32_t pace_ms; // of a body under way: how long to gather data after all of it was read, to save wake-ups; 0: not
                      // at all
} HttpRequest;

// The answer, of any status. Bodies of 2xx over reply_bytes_max are refused (ERR_TOO_LARGE); of other answers at most
// 64 KiB are kept.
typedef struct {
    int status;
    int64_t retry_after_ns; // header Retry-After in seconds; 0: none
    bool is_json;           // by its Content-Type
    bool ended_early;
    Buffer body;
    Buffer head; // the answer's header lines if `keeps_headers`; http_reply_headers reads it
    // Private to the client.
    MemoryBudget *budget;
    size_t charged; // bytes that the body takes of the budget
} HttpReply;

// Makes a client. Does not fail at present: what libcurl refuses (a bad certificate, a proxy URL of an unknown scheme)
// is reported by the first call.
ErrCode http_client_new(const HttpOptions *options, HttpClient **ret_client, Err *err);
// Frees the client, which must have no running call. NULL is fine.
void http_client_free(HttpClient *client);

// Ends all calls after that time (INT64_MAX: never, the default), whatever the server does: running calls end with
// ERR_IO ("stopped"), waiting and later ones end at once. Any thread; each call replaces the former one, so a client
// can be revived.
void http_client_end_within(HttpClient *client, int64_t rest_ns);
// Whether that time has passed.
bool http_client_is_over(HttpClient *client);
// Sleeps, for a caller that waits before a call. False: that time passed meanwhile.
bool http_client_rest(HttpClient *client, int64_t rest_ns);

// Makes a call. `reply` is reset first (its buffer is reused) and must be freed with http_reply_free, also on failure.
// OK: there is an answer, see its status. ERR_TIMEOUT; ERR_TOO_LARGE; ERR_IO: no connection, a broken one, a
// certificate that cannot be verified, no file descriptor left, or stopped; ERR_INVALID: the URL.
ErrCode http_call(HttpClient *client, const HttpRequest *request, HttpReply *reply, Err *err);
void http_reply_free(HttpReply *reply);

// The headers of an answer whose request keeps them, in their order; of very many the first 16 KiB. They point into the
// reply, and the list lives in `arena`. Returns how many. O(bytes).
uint32_t http_reply_headers(Arena *arena, const HttpReply *reply, HttpHeader **ret_headers);

// HttpStop: a handle to stop calls from another thread.
HttpStop *http_stop_new(void);
void http_stop_free(HttpStop *stop);
// Ends the call that uses the handle within milliseconds (even in its pace_ms), and each later one at once. Any thread.
void http_stop(HttpStop *stop);
bool http_stopped(const HttpStop *stop);

// Appends the text, percent-encoded: everything but letters, digits and "-_.~".
void url_add_encoded(Buffer *url, Slice text);
// Appends name=value to the URL's query, percent-encoded, after '?' or '&'. An empty value appends nothing.
void url_add_query(Buffer *url, const char *name, Slice value);
// Appends '/' and the path segment, percent-encoded.
void url_add_segment(Buffer *url, Slice segment);
