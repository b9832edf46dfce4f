// HTTP server for metrics, health and webhooks, on libmicrohttpd, with threads of its own.
//
// Routes are a table. GET and HEAD, or of a server with bodies POST and nothing else: an unknown path is answered 404,
// another method 405, a body beyond the maximum 413; where there are no bodies, one ends the connection. Bounds:
// SERVER_CONNECTIONS_MAX connections and SERVER_ADDRESS_MAX per client address, 32 KB per request without its body,
// SERVER_BODIES of the largest bodies in memory at once (503), and total times per request, which slow clients cannot
// extend (below). When all connections are taken, a new one replaces the one that has been idle longest
// (server_listener.h). The routes of a server are answered one at a time, or by several threads; a route that must
// never wait for another page (health) gets a server, and a port, of its own.
//
// With TLS the certificate can be replaced while the server runs. Versions 1.2 and 1.3; clients show no certificate.
#pragma once

#include "base/buffer.h"
#include "base/err.h"

#include <stdbool.h>

enum {
    SERVER_CONNECTIONS_MAX = 64,
    SERVER_ADDRESS_MAX = 48,
    SERVER_HEAD_S = 5,  // from accepting the connection to the end of the first request's headers, TLS included
    SERVER_BODY_S = 10, // from the headers to the end of the body
    SERVER_IDLE_S = 90, // from an answer to the end of the next headers: keeps the connections of scrapes every minute
    SERVER_ANSWER_S = 60,   // from the end of the request to the end of the answer
    SERVER_PATIENCE_S = 10, // part of SERVER_ANSWER_S in which no other client takes the connection's place
    SERVER_BODIES = 8,
};

// Answer of a route; initially 200 with empty text/plain.
typedef struct {
    int status;
    const char *content_type; // static
    Buffer body;              // taken over
} ServerReply;

// Path of a request, "/metrics", and the value of a query parameter: ptr NULL when absent, empty for "?verbose".
typedef struct ServerRequest ServerRequest;
Slice server_path(const ServerRequest *request);
Slice server_query(const ServerRequest *request, const char *key);
Slice server_body(const ServerRequest *request);

// A route. A `path` that ends in '/' stands for everything below it.
typedef struct {
    const char *path;
    void (*answer)(void *self, const ServerRequest *request, ServerReply *reply);
    void *self;
} ServerRoute;

typedef struct Server Server;

typedef struct {
    Slice address; // "127.0.0.1", "::1"; empty: all addresses of both families
    uint16_t port; // 0: a free one
} ServerPlace;

// A certificate with those that sign it, and its key, as PEM.
typedef struct {
    Slice certificate_pem, key_pem;
} ServerIdentity;

// {0}: one thread, no bodies, no TLS.
typedef struct {
    uint32_t threads;               // that answer, at most SERVER_THREADS_MAX; 0: one
    size_t body_max;                // bytes of a body; 0: routes take none, and are for GET and HEAD
    const ServerIdentity *identity; // NULL: no TLS. Copied
} ServerOptions;

enum { SERVER_THREADS_MAX = 8 };

// Starts a server. `routes` is copied; what it points to must outlive the server. ERR_INVALID: not an address; ERR_IO:
// the port cannot be bound (the text says why).
ErrCode server_start(const ServerRoute *routes, uint32_t count, const ServerPlace *place, Server **ret_server,
                     Err *err);
// The same with options. Routes of a server with several threads are called by several at once. ERR_IO, too: not a
// certificate with its key.
ErrCode server_start_with(const ServerRoute *routes, uint32_t count, const ServerPlace *place,
                          const ServerOptions *options, Server **ret_server, Err *err);
// From now on new connections get this certificate. Those that are there keep theirs until they have been idle for
// SERVER_IDLE_S, or the next answer, which ends them. Not from a route, and by one thread at a time. On failure
// (ERR_IO) everything stays as it was.
ErrCode server_renew(Server *server, const ServerIdentity *identity, Err *err);
uint16_t server_port(const Server *server);
// Finishes the answers under way and stops. NULL is fine.
void server_stop(Server *server);
