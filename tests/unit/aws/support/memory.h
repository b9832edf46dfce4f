// A transport in memory: answers by a script, time that passes only when somebody waits, and a record of what was sent.
#pragma once

#include "aws/transport/transport.h"
#include "harness/test.h"

#include <pthread.h>

// What becomes of a request. {0} is an answer of status 200 without a body.
typedef struct {
    ErrCode code; // of the transport; OK: there is an answer
    int status;   // 0: 200
    const char *body;
    HttpHeader header; // name empty: none
    int64_t date_ahead_ns;
    bool has_date;    // header Date: the time of the transport and `date_ahead_ns`
    int64_t takes_ns; // until it comes
} MemoryReply;

typedef struct {
    const char *method, *url, *headers, *body; // headers: "Name: value\n"…
    int64_t timeout_ns;
} MemorySent;

typedef struct MemoryTransport MemoryTransport;
struct MemoryTransport {
    AwsTransport transport;
    pthread_mutex_t lock; // guards the rest
    Arena arena;
    Moment moment;
    const MemoryReply *replies; // one after the other; the last again and again
    uint32_t reply_count;
    MemoryReply (*answer)(void *context, const MemorySent *sent); // instead of `replies`, if set
    void *context;
    Vec(MemorySent) sent;
    Vec(int64_t) rests;
    bool is_stopped; // rest says so
};

// 2026-11-23T08:00:00Z
#define MEMORY_BEGIN_NS (INT64_C(1795420800) * NS_PER_S)

MemoryTransport *memory_new(void);
void memory_free(MemoryTransport *memory);

// Lets time pass.
void memory_pass(MemoryTransport *memory, int64_t ns);
// How long was rested altogether.
int64_t memory_rested_ns(const MemoryTransport *memory);
// The value of a header that was sent; NULL: it was not.
const char *memory_header(MemoryTransport *memory, uint32_t number, const char *name);

#define MEMORY_REPLIES(memory, ...)                                                                                    \
    do {                                                                                                               \
        static const MemoryReply replies_[] = {__VA_ARGS__};                                                           \
        (memory)->replies = replies_;                                                                                  \
        (memory)->reply_count = sizeof replies_ / sizeof *replies_;                                                    \
    } while (0)
