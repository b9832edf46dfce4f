// Delays and the quota of retries.
#include "aws/call/retry.h"

enum { DELAY_MAX_S = 20, DELAY_MAX_LOG2 = 5 };
#define BEYOND_MAX_NS (5 * NS_PER_S)

void aws_quota_init(AwsQuota *quota) {
    pthread_mutex_init(&quota->lock, NULL);
    quota->tokens = AWS_QUOTA_MAX;
}

void aws_quota_destroy(AwsQuota *quota) {
    pthread_mutex_destroy(&quota->lock);
}

bool aws_quota_take(AwsQuota *quota, uint32_t cost) {
    bool is_enough;

    pthread_mutex_lock(&quota->lock);
    is_enough = quota->tokens >= cost;
    if (is_enough)
        quota->tokens -= cost;
    pthread_mutex_unlock(&quota->lock);
    return is_enough;
}

void aws_quota_give(AwsQuota *quota, uint32_t cost) {
    pthread_mutex_lock(&quota->lock);
    quota->tokens += cost ? cost : 1;
    if (quota->tokens > AWS_QUOTA_MAX)
        quota->tokens = AWS_QUOTA_MAX;
    pthread_mutex_unlock(&quota->lock);
}

int64_t aws_retry_delay_ns(uint32_t attempt, uint64_t random) {
    double part = (double)(random >> 11) * 0x1p-53; // [0, 1)
    double seconds = attempt < DELAY_MAX_LOG2 ? (double)(1U << attempt) : DELAY_MAX_S;

    return (int64_t)(part * seconds * (double)NS_PER_S);
}

int64_t aws_retry_delay_wanted_ns(int64_t delay_ns, Slice header) {
    int64_t wanted_ms, wanted_ns;

    if (!slice_to_int64(header, &wanted_ms) || wanted_ms < 0)
        return delay_ns;
    wanted_ns = wanted_ms > INT64_MAX / NS_PER_MS ? INT64_MAX : wanted_ms * NS_PER_MS;
    if (wanted_ns < delay_ns)
        return delay_ns;
    return wanted_ns < delay_ns + BEYOND_MAX_NS ? wanted_ns : delay_ns + BEYOND_MAX_NS;
}
