// Transport: how requests travel, and what time it is meanwhile. All of the client's effects go through this table, so
// that a test or a simulation can lose, double and cut replies, and let time pass.
#pragma once

#include "aws/protocol/operation.h"
#include "base/time.h"

// A request as it is sent. Borrowed.
typedef struct {
    const char *method;
    Slice url;
    const HttpHeader *headers;
    uint32_t header_count;
    bool has_body;
    Slice body;
    bool is_change;     // of AWS's state: what a gate holds back
    int64_t timeout_ns; // until the whole answer is there
} AwsRequest;

typedef struct {
    // Sends a request and waits for its answer, of any status, which lives in `arena`. Any thread. ERR_IO: no
    // connection, a broken one, or stopped; ERR_TIMEOUT; ERR_TOO_LARGE: more than AWS_BODY_MAX; ERR_INVALID: the URL.
    // After all but the last whether the request took effect is not known. Messages have no headers and bodies.
    ErrCode (*send)(void *self, Arena *arena, const AwsRequest *request, AwsAnswer *ret_answer, Err *err);
    // The present, by a clock that is never set and by this machine's.
    Moment (*now)(void *self);
    // Waits. False: the client is being stopped, and nothing should be sent any more.
    bool (*rest)(void *self, int64_t ns);
    void *self;
} AwsTransport;

// How requests travel over HTTP. A change is sent only while the gate is open, asked after all waiting: what it holds
// back is ERR_IO.
typedef struct {
    HttpClient *client;
    HttpGate gate; // is_open NULL: always open
} AwsHttp;

// The transport; `http` outlives it.
AwsTransport aws_transport_http(const AwsHttp *http);
