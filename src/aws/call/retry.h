// Retries: how long to wait before one, and the quota that keeps retries from doubling the load of a service that is
// down. Behaviour: reference aws.md 2.4 (the SDK's standard mode).
#pragma once

#include "base/slice.h"
#include "base/time.h"

#include <pthread.h>

// Tokens that retries take, shared by all calls of a client.
enum { AWS_QUOTA_MAX = 500, AWS_QUOTA_RETRY = 5, AWS_QUOTA_TIMEOUT = 10 };
typedef struct {
    pthread_mutex_t lock;
    uint32_t tokens;
} AwsQuota;

void aws_quota_init(AwsQuota *quota);
void aws_quota_destroy(AwsQuota *quota);
// Takes what a retry costs. False: there is not as much left, so no retry. Any thread.
bool aws_quota_take(AwsQuota *quota, uint32_t cost);
// After a success: gives back what its last retry took; 0: it was the first attempt, which is worth one token.
void aws_quota_give(AwsQuota *quota, uint32_t cost);

// How long to wait after attempt number `attempt` (from 1): a random part of 2^attempt seconds, at most 20. `random`:
// 64 random bits.
int64_t aws_retry_delay_ns(uint32_t attempt, uint64_t random);

// The delay when the service names one (header X-Amz-Retry-After, in milliseconds): that, but not less than `delay_ns`
// and not more than 5 s beyond it.
int64_t aws_retry_delay_wanted_ns(int64_t delay_ns, Slice header);
