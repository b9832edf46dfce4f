// The threads of a server that answer, each a libmicrohttpd daemon, and their generations: a certificate belongs to a
// daemon from its start, so another certificate means other daemons. Private to net/server.
//
// libmicrohttpd's own pool of threads does not take connections that somebody else accepted.
#pragma once

#include "net/server.h"

#include <microhttpd.h>
#include <stdatomic.h>

// What a daemon's callbacks are given.
typedef struct {
    Server *server;
    struct MHD_Daemon *daemon;
    atomic_bool old; // its connections end after their present request
} ServerWorker;

typedef struct {
    uint32_t count;
    ServerWorker workers[SERVER_THREADS_MAX];
} ServerWorkers;

// Called by a daemon; their first argument is its ServerWorker.
typedef struct {
    MHD_AccessHandlerCallback handle;
    MHD_NotifyConnectionCallback follow_connection;
    MHD_RequestCompletedCallback follow_request;
} ServerCallbacks;

// Starts that many. `identity` NULL: no TLS; else zero-terminated texts. ERR_IO: not a certificate with its key, or the
// system gives no thread or no descriptor.
ErrCode workers_start(Server *server, const ServerCallbacks *callbacks, uint32_t count, const ServerIdentity *identity,
                      ServerWorkers **ret_workers, Err *err);
void workers_retire(ServerWorkers *workers);
// Finishes the answers under way. NULL is fine.
void workers_stop(ServerWorkers *workers);
