// An HTTP server for tests, on a free port of loopback: a function answers each request with bytes of its choice.
#pragma once

#include "base/slice.h"

#include <pthread.h>

typedef struct {
    Slice line;          // "GET /path HTTP/1.1"
    Slice head, body;    // all header lines; the body, as long as Content-Length or the chunks say
    unsigned number;     // of the request, from 0
    unsigned connection; // that it came on, from 0
} CannedRequest;

typedef struct Canned Canned;
struct Canned {
    // Writes an answer to `fd` (canned_say). False: the connection is closed. Called on a thread of the connection.
    bool (*answer)(Canned *server, const CannedRequest *request, int fd);
    void *context;

    int listener, port;
    pthread_t acceptor;
    pthread_mutex_t lock;
    bool has_lock;
    unsigned requests, connections, running, answering;
    int fds[64]; // open connections, -1: free
    bool stopping;
    char url[64];    // "http://127.0.0.1:PORT"
    char log[16384]; // request lines, "GET /a\nGET /b\n"; guarded by `lock`
};

void canned_start(Canned *server);
// Closes all connections and waits for their threads.
void canned_stop(Canned *server);
// Requests that came so far.
unsigned canned_requests(Canned *server);
// Waits until no answer is being given: what the function reads and writes is then the test's again.
void canned_settle(Canned *server);
void canned_say(int fd, const char *text);
// A whole answer with Content-Length, in JSON.
void canned_json(int fd, int status, const char *body);
// Value of a header, empty when absent; bytes of the request.
Slice canned_header(const CannedRequest *request, const char *name);
