// Who may stay connected to a server: accepting, counting, and sending away.
//
// A thread of its own accepts and hands connections to the server behind it, so that a crowd at the port never keeps
// that one from answering, and what answers (one thread today, TLS, several) can change without this file.
//
// The newcomer wins: it may be the probe that decides whether the process lives. When there are SERVER_CONNECTIONS_MAX
// connections, or SERVER_ADDRESS_MAX of its address, the one that has owed a request head longest is closed for it;
// when all are being answered, the one that has taken its answer for longest, if that is SERVER_PATIENCE_S or more; and
// only else the newcomer. Times are bounded as a whole, whatever trickles in: see server.h.
// Without a file descriptor for a newcomer, one that is kept for that purpose is given to it.
#pragma once

#include "net/server.h"

#include <sys/socket.h>

typedef struct Listener Listener;
typedef struct ServerPeer ServerPeer; // one connection

// Listens; nobody is accepted yet. ERR_INVALID: no address; ERR_IO: the port cannot be had.
ErrCode listener_open(const ServerPlace *place, Listener **ret_listener, Err *err);
uint16_t listener_port(const Listener *listener);

// Begins to accept. `admit` takes a connection over, also when it fails (false). ERR_IO: the system gives no thread.
ErrCode listener_accept(Listener *listener,
                        bool (*admit)(void *server, int fd, const struct sockaddr *address, socklen_t size),
                        void *server, Err *err);
// Accepts nobody any more. Connections stay.
void listener_stop(Listener *listener);
void listener_free(Listener *listener); // when no connection is left; NULL is fine

// What the server says of a connection that it was given; any thread. Between `joined` and `left` the descriptor is
// open and nobody else's. NULL peers are fine.
ServerPeer *listener_joined(Listener *listener, int fd);
void listener_request_begins(Listener *listener, ServerPeer *peer); // its head is there
void listener_request_ends(Listener *listener, ServerPeer *peer);   // it is answered
void listener_left(Listener *listener, ServerPeer *peer);
