// The client's inside, shared by its files, and an attempt of a call.
#pragma once

#include "aws/call/client.h"
#include "aws/call/retry.h"
#include "base/random.h"

#include <stdatomic.h>

struct AwsClient {
    Arena arena; // of the options
    AwsClientOptions options;
    AwsSigner *signer;
    AwsPacer *pacer;
    AwsQuota quota;
    _Atomic int64_t skew_ns;
    pthread_mutex_t random_lock;
    Random random;
};

// A call under way.
typedef struct {
    AwsClient *client;
    const AwsOperation *operation;
    AwsCallOptions options;
    AwsMessage message;
    Arena scratch; // of the call
    uint32_t attempts_max;
    uint32_t attempts;               // that were sent, …
    uint32_t mended;                 // … and of them those that only showed what had to be mended
    AwsGrant *refused;               // credentials that a service called expired; NULL: none
    bool has_set_clock, has_renewed; // what is mended once, and does not count as a retry
    uint32_t paid;                   // tokens that the last retry took
    bool may_be_done;
} AwsRun;

// What became of an attempt.
typedef struct {
    ErrCode code; // OK: there is an answer or a fault
    AwsFaultKind kind;
    AwsFault fault;
    bool is_sent;       // nothing else was wrong before
    bool is_unreadable; // status 2xx, but no answer of this operation
    bool has_offset;    // there was a Date header
    int64_t offset_ns;  // by which its time was ahead of this machine's
    int64_t skew_ns;    // that was reckoned with
    Slice wanted_delay; // header X-Amz-Retry-After
} AwsAttempt;

// Makes one attempt (attempt.c): waits for its turn, signs, sends, reads. The fault's texts and the output live in
// `arena`. Errors: as aws_call.
void aws_attempt(AwsRun *run, Arena *arena, void *output, AwsAttempt *ret_attempt, Err *err);
