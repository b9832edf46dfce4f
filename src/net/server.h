// A small HTTP server for what a process shows of itself: metrics, health. On libmicrohttpd, with a thread of its own.
//
// Routes are a table. Only GET and HEAD; a path that is no route answers 404, another method 405, a body ends the
// connection. Bounded: SERVER_CONNECTIONS_MAX at a time, 32 KB of request each, 30 seconds without a byte. Routes of
// one server are answered one after the other; what must never wait for another page gets a server (and a port) of its
// own.
#pragma once

#include "base/buffer.h"
#include "base/err.h"

#include <stdbool.h>

enum { SERVER_CONNECTIONS_MAX = 64, SERVER_TIMEOUT_S = 30 };

// What a route answers: 200 and empty text/plain at first.
typedef struct {
    int status;
    const char *content_type; // static
    Buffer body;              // taken over
} ServerReply;

// `path` is "/metrics"; one that ends in '/' stands for everything below it. `query`: what a request gave for a key;
// ptr NULL when it did not ("?verbose" gives the empty value).
typedef struct ServerRequest ServerRequest;
Slice server_path(const ServerRequest *request);
Slice server_query(const ServerRequest *request, const char *key);

typedef struct {
    const char *path;
    void (*answer)(void *self, const ServerRequest *request, ServerReply *reply);
    void *self;
} ServerRoute;

typedef struct Server Server;

// Listens on that port of all addresses, or of the loopback only; 0: a free one. `routes` is copied, what it points to
// must stay until server_stop. ERR_IO: the port cannot be had (the text says why).
ErrCode server_start(const ServerRoute *routes, uint32_t count, uint16_t port, bool loopback, Server **ret_server,
                     Err *err);
uint16_t server_port(const Server *server);
// Answers what is being answered, then ends. NULL is allowed.
void server_stop(Server *server);
