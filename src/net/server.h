// A small HTTP server for what a process shows of itself: metrics, health. On libmicrohttpd, with a thread of its own.
//
// Routes are a table. Only GET and HEAD; a path that is no route answers 404, another method 405, a body ends the
// connection. Bounded: SERVER_CONNECTIONS_MAX at a time and SERVER_ADDRESS_MAX of one address, 32 KB of request each,
// and times that no trickle of bytes makes longer (below). Who comes when all places are taken gets that of the
// connection that has been idle longest (server_listener.h). Routes of one server are answered one after the other;
// what must never wait for another page gets a server (and a port) of its own.
#pragma once

#include "base/buffer.h"
#include "base/err.h"

#include <stdbool.h>

enum {
    SERVER_CONNECTIONS_MAX = 64,
    SERVER_ADDRESS_MAX = 48,
    SERVER_HEAD_S = 5,    // from the connection to the end of the first request's head
    SERVER_IDLE_S = 90,   // from an answer to the end of the next head: what scrapes every minute keeps its connection
    SERVER_ANSWER_S = 60, // from the head to the end of the answer
    SERVER_PATIENCE_S = 10, // of it that nobody else takes the place
};

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

typedef struct {
    Slice address; // "127.0.0.1", "::1"; empty: all of both families
    uint16_t port; // 0: a free one
} ServerPlace;

// Listens there. `routes` is copied, what it points to must stay until server_stop. ERR_INVALID: that is no address;
// ERR_IO: the port cannot be had (the text says why).
ErrCode server_start(const ServerRoute *routes, uint32_t count, const ServerPlace *place, Server **ret_server,
                     Err *err);
uint16_t server_port(const Server *server);
// Answers what is being answered, then ends. NULL is allowed.
void server_stop(Server *server);
