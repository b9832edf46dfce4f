// The rate limit, with a clock of the test.
#include "durations.h"
#include "harness/test.h"
#include "net/limiter.h"

static void near(int64_t got_ns, int64_t expected_ns) {
    assert_true(got_ns - expected_ns < 1000 && expected_ns - got_ns < 1000);
}

TEST(a_burst_passes_at_once_and_the_rest_at_the_rate) {
    Limiter limiter;

    limiter_init(&limiter, 10, 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(limiter_reserve(&limiter, AT(NS_PER_S)), 0);
    near(limiter_reserve(&limiter, AT(NS_PER_S)), NS_PER_S / 10);
    near(limiter_reserve(&limiter, AT(NS_PER_S)), 2 * NS_PER_S / 10); // behind the one before
    limiter_destroy(&limiter);
}

TEST(tokens_come_back_with_time_up_to_the_burst) {
    Limiter limiter;

    limiter_init(&limiter, 10, 3);
    for (int i = 0; i < 5; i++)
        limiter_reserve(&limiter, AT(NS_PER_S));
    near(limiter_reserve(&limiter, AT(NS_PER_S + 3 * NS_PER_S / 10)), 0); // two owed, one more
    for (int i = 0; i < 3; i++)
        assert_int_equal(limiter_reserve(&limiter, AT(1000 * NS_PER_S)), 0);
    near(limiter_reserve(&limiter, AT(1000 * NS_PER_S)), NS_PER_S / 10);
    limiter_destroy(&limiter);
}

// In ten seconds no more pass than the burst plus ten times the rate.
TEST(the_rate_holds_in_the_long_run) {
    Limiter limiter;
    int64_t now = NS_PER_S;
    int passed = 0;

    limiter_init(&limiter, 200, 300);
    while (now < 11 * NS_PER_S) {
        now += limiter_reserve(&limiter, AT(now));
        passed += now < 11 * NS_PER_S;
    }
    assert_in_range(passed, 2299, 2301);
    limiter_destroy(&limiter);
}

TEST(without_a_rate_nothing_waits) {
    Limiter limiter;

    limiter_init(&limiter, -1, 0);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(limiter_reserve(&limiter, AT(NS_PER_S)), 0);
    limiter_destroy(&limiter);
}

TEST(a_clock_that_stands_still_gives_nothing) {
    Limiter limiter;

    limiter_init(&limiter, 1, 1);
    assert_int_equal(limiter_reserve(&limiter, AT(5 * NS_PER_S)), 0);
    near(limiter_reserve(&limiter, AT(4 * NS_PER_S)), NS_PER_S); // another thread read its clock earlier
    near(limiter_reserve(&limiter, AT(5 * NS_PER_S)), 2 * NS_PER_S);
    limiter_destroy(&limiter);
}
