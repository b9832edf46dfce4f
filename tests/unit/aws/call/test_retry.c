// Waits between attempts, and the quota of retries.
#include "aws/call/retry.h"
#include "harness/test.h"

TEST(waits_double_up_to_twenty_seconds_and_are_random) {
    const uint64_t least = 0, most = UINT64_MAX;

    assert_int_equal(aws_retry_delay_ns(1, least), 0);
    assert_in_range(aws_retry_delay_ns(1, most), 2 * NS_PER_S - 1000, 2 * NS_PER_S);
    assert_in_range(aws_retry_delay_ns(2, most / 2), 2 * NS_PER_S - 1000, 2 * NS_PER_S);
    assert_in_range(aws_retry_delay_ns(4, most), 16 * NS_PER_S - 10000, 16 * NS_PER_S);
    assert_in_range(aws_retry_delay_ns(5, most), 20 * NS_PER_S - 10000, 20 * NS_PER_S);
    assert_in_range(aws_retry_delay_ns(1000, most), 20 * NS_PER_S - 10000, 20 * NS_PER_S);
}

TEST(a_service_may_ask_for_a_longer_wait_within_bounds) {
    int64_t delay_ns = 2 * NS_PER_S;

    assert_int_equal(aws_retry_delay_wanted_ns(delay_ns, SLICE("")), delay_ns);
    assert_int_equal(aws_retry_delay_wanted_ns(delay_ns, SLICE("1500")), delay_ns);
    assert_int_equal(aws_retry_delay_wanted_ns(delay_ns, SLICE("3500")), 3500 * NS_PER_MS);
    assert_int_equal(aws_retry_delay_wanted_ns(delay_ns, SLICE("60000")), 7 * NS_PER_S);
    assert_int_equal(aws_retry_delay_wanted_ns(delay_ns, SLICE("9223372036854775807")), 7 * NS_PER_S);
    assert_int_equal(aws_retry_delay_wanted_ns(delay_ns, SLICE("-1")), delay_ns);
    assert_int_equal(aws_retry_delay_wanted_ns(delay_ns, SLICE("soon")), delay_ns);
}

TEST(the_quota_pays_for_a_hundred_retries) {
    AwsQuota quota;

    aws_quota_init(&quota);
    for (int i = 0; i < AWS_QUOTA_MAX / AWS_QUOTA_RETRY; i++)
        assert_true(aws_quota_take(&quota, AWS_QUOTA_RETRY));
    assert_false(aws_quota_take(&quota, AWS_QUOTA_RETRY));
    aws_quota_give(&quota, 0);
    assert_false(aws_quota_take(&quota, AWS_QUOTA_RETRY));
    aws_quota_give(&quota, AWS_QUOTA_TIMEOUT);
    assert_true(aws_quota_take(&quota, AWS_QUOTA_TIMEOUT));
    assert_int_equal(quota.tokens, 1);
    aws_quota_destroy(&quota);
}

TEST(the_quota_never_holds_more_than_at_the_start) {
    AwsQuota quota;

    aws_quota_init(&quota);
    aws_quota_give(&quota, AWS_QUOTA_TIMEOUT);
    assert_int_equal(quota.tokens, AWS_QUOTA_MAX);
    aws_quota_destroy(&quota);
}
