// A front of a server for tests: a TLS endpoint, or a proxy for CONNECT.
//
// It takes connections on a free port of loopback and passes bytes on to a port there, each way.
#pragma once

#include "net/support/authority.h"

#include <pthread.h>

typedef struct {
    int target_port; // a proxy goes where it is told, on loopback
    bool is_proxy;
    const Issued *certificate; // of the TLS endpoint
    Slice client_ca_pem;       // clients must have a certificate of this authority; empty: not required

    int listener, port;
    pthread_t acceptor;
    pthread_mutex_t lock;
    void *tls; // SSL_CTX
    unsigned running;
    int fds[64];    // open connections, -1: free
    char log[4096]; // heads of CONNECT requests; guarded by `lock`, or read after front_stop
} Front;

void front_start(Front *front);
// Closes all connections and waits for their threads.
void front_stop(Front *front);
