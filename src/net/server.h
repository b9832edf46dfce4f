// HTTP server for metrics and health, on libmicrohttpd, with a thread of its own.
//
// Routes are a table. GET and HEAD only: an unknown path is answered 404, another method 405, and a request with a body
// ends the connection. Bounds: SERVER_CONNECTIONS_MAX connections and SERVER_ADDRESS_MAX per client address, 32 KB per
// request, and total times per request, which slow clients cannot extend (below). When all connections are taken, a new
// one replaces the one that has been idle longest (server_listener.h). The routes of a server are answered one at a
// time; a route that must never wait for another page (health) gets a server, and a port, of its own.
#pragma once

#include "base/buffer.h"
#include "base/err.h"

#include <stdbool.h>

enum {
    SERVER_CONNECTIONS_MAX = 64,
    SERVER_ADDRESS_MAX = 48,
    SERVER_HEAD_S = 5,  // from accepting the connection to the end of the first request's headers
    SERVER_IDLE_S = 90, // from an answer to the end of the next headers: keeps the connections of scrapes every minute
    SERVER_ANSWER_S = 60,   // from the headers to the end of the answer
    SERVER_PATIENCE_S = 10, // part of SERVER_ANSWER_S in which no other client takes the connection's place
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

// Starts a server. `routes` is copied; what it points to must outlive the server. ERR_INVALID: not an address; ERR_IO:
// the port cannot be bound (the text says why).
ErrCode server_start(const ServerRoute *routes, uint32_t count, const ServerPlace *place, Server **ret_server,
                     Err *err);
uint16_t server_port(const Server *server);
// Finishes the answers under way and stops. NULL is fine.
void server_stop(Server *server);
