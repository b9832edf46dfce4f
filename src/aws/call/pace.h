// Pacing: how often operations are called at most, whoever calls them. Reference aws.md 2.2.
#pragma once

#include "aws/protocol/operation.h"
#include "net/limiter.h"

// A class of operations and its rate. The names are constants.
typedef struct {
    const char *service;   // by id: "ec2"
    const char *operation; // "CreateTags", "Describe*"; NULL: every one
    double per_second;     // sustained; 0: without limit
    uint32_t burst;
} AwsPace;

typedef struct AwsPacer AwsPacer;

// Copies the list; the first pace that an operation belongs to is its own, and what belongs to none is not paced.
AwsPacer *aws_pacer_new(const AwsPace *paces, uint32_t count);
void aws_pacer_free(AwsPacer *pacer); // NULL is fine

// Takes the operation's turn: how long to wait before it is sent. Any thread. O(paces).
int64_t aws_pacer_reserve(AwsPacer *pacer, const AwsOperation *operation, Mono now);
