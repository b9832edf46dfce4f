// Listener: accepts connections for a server, counts them, and closes some when there are too many.
//
// It has a thread of its own and hands accepted connections to the server behind it, so that a flood of connections
// never keeps that one from answering, and the way of answering (one thread or several, with TLS or without) is no
// business of this file.
//
// A new connection wins, since it may be the probe that decides whether the process lives. When there are
// SERVER_CONNECTIONS_MAX connections, or SERVER_ADDRESS_MAX of its address, the one that has owed a request
// longest is closed for it; when all are being answered, the one whose answer has taken longest, if that is
// SERVER_PATIENCE_S or more; otherwise the new one is closed. All times are totals, however slowly bytes trickle in:
// see server.h. When there is no file descriptor for a new connection, a spare one that is kept for this purpose is
// used.
#pragma once

#include "net/server.h"

#include <sys/socket.h>

typedef struct Listener Listener;
typedef struct ServerPeer ServerPeer; // one connection

// Binds the port; accepts no connection yet. ERR_INVALID: not an address; ERR_IO: the port cannot be bound.
ErrCode listener_open(const ServerPlace *place, Listener **ret_listener, Err *err);
uint16_t listener_port(const Listener *listener);

// Starts accepting. `admit` takes over each connection, also when it fails (false). ERR_IO: no thread could be started.
ErrCode listener_accept(Listener *listener,
                        bool (*admit)(void *server, int fd, const struct sockaddr *address, socklen_t size),
                        void *server, Err *err);
// Stops accepting. Connections stay open.
void listener_stop(Listener *listener);
void listener_free(Listener *listener); // call it when no connection is left; NULL is fine

// Reports of the server about its connections; any thread. Between `joined` and `left` the descriptor is open and not
// reused. NULL peers are fine.
ServerPeer *listener_joined(Listener *listener, int fd);
void listener_body_begins(Listener *listener, ServerPeer *peer);    // its headers are complete, a body follows
void listener_request_begins(Listener *listener, ServerPeer *peer); // it is complete
void listener_request_ends(Listener *listener, ServerPeer *peer);   // the answer was sent
void listener_left(Listener *listener, ServerPeer *peer);
