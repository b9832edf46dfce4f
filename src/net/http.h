// An HTTP client: calls that block, over connections that are kept.
//
// A call takes a lane (one connection and what libcurl keeps with it) out of a pool, uses it alone and puts it back;
// the one used last goes first, so that idle ones grow old and are closed by the next call that ends. HTTP/1.1 on
// purpose: one connection does one call, no call waits behind another's bytes, and a connection that breaks takes one
// call with it. So there are never more connections than calls_max and the streams that run.
// When a kept connection turns out to be dead (the server was started anew), a GET is done again on another one, and so
// is what had not begun to send its body. Anything else is sent at most once: the call fails with ERR_IO and the caller
// finds out what became of it.
//
// Threads: any thread may call. Memory: replies are bounded by the caller, one by one and all together; certificates
// and keys come as PEM in memory. Messages name method, scheme, host, port and path; queries, headers, bodies and
// proxies never, since they may hold secrets.
#pragma once

#include "base/buffer.h"
#include "base/err.h"
#include "base/memory_budget.h"
#include "base/time.h"

typedef struct HttpClient HttpClient;
typedef struct HttpStop HttpStop;

typedef struct {
    Slice name, value;
} HttpHeader;

// Told of the Date of each answer, once its head is there, on the calling thread: the server's clock stood at some
// moment of the second that begins there, between `sent` and `seen` (clock_system_awake).
typedef struct {
    void (*told)(void *context, int64_t date_ns, Mono sent, Mono seen);
    void *context;
} HttpDates;

// {0} means the defaults in brackets. Copied by http_client_new.
typedef struct {
    Slice ca_pem;               // authorities to trust instead of the system's [the system's]
    Slice tls_name;             // the name that the server's certificate must carry [the host of the URL]
    bool insecure;              // any certificate will do
    Slice proxy_url;            // [HTTPS_PROXY, HTTP_PROXY, NO_PROXY; never for loopback, as Go's clients do]
    Slice user_agent;           // [none]
    bool no_gzip;               // [gzip is offered]
    int64_t connect_timeout_ns; // to a connection that can be used, TLS included [10 s]
    uint32_t idle_max;          // connections kept without a call [32]
    HttpDates dates;            // [nobody]
    uint32_t calls_max;         // calls at once that are no streams; more wait for their turn [64]
    MemoryBudget *budget;       // of all replies that are held: an answer over it is ERR_TOO_LARGE; borrowed [none]
} HttpOptions;

// Who the client is by TLS; both empty: nobody. Connections are shared among calls of the same identity only.
typedef struct {
    Slice certificate_pem, key_pem;
} HttpIdentity;

// Where the body of a 2xx answer goes, piece by piece as it arrives and unpacked. False: enough, the call ends with OK
// and `ended_early` in the reply.
typedef struct {
    bool (*take)(void *context, Slice bytes);
    void *context;
} HttpSink;

// Asked when the first byte of the body would go out, after all waiting (for a connection, for TLS): the last moment at
// which the call can be held back. False: it ends with ERR_IO, and the server has no whole request to act on.
typedef struct {
    bool (*is_open)(void *context);
    void *context;
} HttpGate;

typedef struct {
    const char *method;
    Slice url;
    const HttpHeader *headers;
    uint32_t header_count;
    const HttpIdentity *identity; // NULL: nobody
    bool has_body;
    Slice body;
    HttpGate gate;          // of the body; is_open NULL: always open
    int64_t timeout_ns;     // for the whole call, and before it for a turn among calls_max; 0: none
    size_t reply_bytes_max; // of what goes into HttpReply.body; 0: 64 KiB
    HttpSink sink;          // take NULL: the body goes into the reply
    HttpStop *stop;         // NULL: cannot be stopped
    bool is_stream;         // lasts for minutes: does not count among calls_max
    uint32_t pace_ms; // once the body has begun: what comes after all was read is let gather for so long; 0: it is not
} HttpRequest;

// The answer, whatever its status. Bodies of 2xx over reply_bytes_max are refused (ERR_TOO_LARGE); of other answers no
// more than 64 KiB are kept.
typedef struct {
    int status;
    int64_t retry_after_ns; // header Retry-After in seconds; 0: none
    bool is_json;           // by its Content-Type
    bool ended_early;
    Buffer body;
    // Of the client.
    MemoryBudget *budget;
    size_t charged; // what the body took of it
} HttpReply;

// Fails for nothing today: what libcurl does not take (a bad certificate, a proxy URL of an unknown scheme) is found by
// the first call.
ErrCode http_client_new(const HttpOptions *options, HttpClient **ret_client, Err *err);
// No call may be running. NULL is fine.
void http_client_free(HttpClient *client);

// After so long (INT64_MAX: never, as at first) no call goes on, whatever the server does: what runs ends with ERR_IO
// ("stopped"), what waits for its turn or begins later ends at once. Any thread; counts as it was said last, so a
// client can be let go on.
void http_client_end_within(HttpClient *client, int64_t rest_ns);
// Whether that moment has come.
bool http_client_is_over(HttpClient *client);
// Sleeps, for who waits before a call. False: no longer than that moment, it has come.
bool http_client_rest(HttpClient *client, int64_t rest_ns);

// Does a call. `reply` is reset first (its buffer is kept) and must be freed with http_reply_free, also on failure.
// OK: an answer came, see its status. ERR_TIMEOUT; ERR_TOO_LARGE; ERR_IO: no connection, a broken one, a certificate
// that does not convince, no file descriptor left, or stopped; ERR_INVALID: the URL.
ErrCode http_call(HttpClient *client, const HttpRequest *request, HttpReply *reply, Err *err);
void http_reply_free(HttpReply *reply);

// A handle to stop calls with from another thread.
HttpStop *http_stop_new(void);
void http_stop_free(HttpStop *stop);
// Ends the call that uses it within milliseconds (and its pace), and each later one at once. Any thread.
void http_stop(HttpStop *stop);
bool http_stopped(const HttpStop *stop);

// The URL's query grows by name=value, percent-encoded, with '?' or '&' before it. Empty values are left out.
void url_add_query(Buffer *url, const char *name, Slice value);
// Adds '/' and the segment, percent-encoded.
void url_add_segment(Buffer *url, Slice segment);
