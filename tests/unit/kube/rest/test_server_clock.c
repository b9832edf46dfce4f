// The API server's clock, estimated from the Date of responses.
#include "base/random.h"
#include "durations.h"
#include "harness/test.h"
#include "kube/rest/server_clock.h"

static const int64_t NOON = 1767614400 * NS_PER_S; // 2026-01-05T12:00:00Z

// An answer of a server whose clock is `true_ns` ahead of the monotonic one: sent, answered and seen then.
static void tell(ServerClock *clock, int64_t true_ns, int64_t sent_ns, int64_t answered_ns, int64_t seen_ns) {
    int64_t date_ns = (answered_ns + true_ns) / NS_PER_S * NS_PER_S;

    server_clock_tell(clock, date_ns, AT(sent_ns), AT(seen_ns));
}

static int64_t read_at(ServerClock *clock, int64_t now_ns) {
    int64_t wall_ns = -1;

    assert_true(server_clock_read(clock, AT(now_ns), &wall_ns));
    return wall_ns;
}

TEST(nothing_is_known_before_the_first_answer) {
    ServerClock clock;
    int64_t wall_ns;

    server_clock_init(&clock, NOON, AT(SECONDS(1)));
    assert_false(server_clock_read(&clock, AT(SECONDS(2)), &wall_ns));
    server_clock_destroy(&clock);
}

TEST(a_clock_that_is_right_is_taken_as_it_is) {
    ServerClock clock;

    server_clock_init(&clock, NOON, AT(SECONDS(1)));
    for (int i = 0; i < 100; i++) {
        int64_t at_ns = SECONDS(2) + MILLISECONDS(137) * i;

        tell(&clock, NOON - SECONDS(1), at_ns, at_ns + MILLISECONDS(1), at_ns + MILLISECONDS(2));
        assert_int_equal(read_at(&clock, at_ns), NOON - SECONDS(1) + at_ns);
    }
    server_clock_destroy(&clock);
}

// One response gives the clock to the second, many to the duration of a response.
TEST(a_clock_that_is_wrong_is_found_out) {
    const int64_t true_ns = NOON - MINUTES(16) - MILLISECONDS(321);
    ServerClock clock;
    Random random;
    int64_t off_ns;

    random_seed(&random, 4);
    server_clock_init(&clock, NOON, AT(0));
    tell(&clock, true_ns, SECONDS(5), SECONDS(5) + 1, SECONDS(5) + 2);
    off_ns = read_at(&clock, SECONDS(6)) - SECONDS(6) - true_ns;
    assert_true(off_ns >= -SECONDS(1) && off_ns <= SECONDS(1));
    for (int i = 0; i < 1000; i++) {
        int64_t at_ns = SECONDS(10) + i * SECONDS(1) + random_below(&random, 1000) * NS_PER_MS;

        tell(&clock, true_ns, at_ns, at_ns + MILLISECONDS(2), at_ns + MILLISECONDS(5));
    }
    off_ns = read_at(&clock, SECONDS(2000)) - SECONDS(2000) - true_ns;
    assert_true(off_ns >= -MILLISECONDS(10) && off_ns <= MILLISECONDS(10));
    server_clock_destroy(&clock);
}

// A response that takes a minute does not make the estimate worse.
TEST(a_slow_answer_does_no_harm) {
    ServerClock clock;
    int64_t before_ns;

    server_clock_init(&clock, NOON, AT(0));
    tell(&clock, NOON, SECONDS(10), SECONDS(10) + 1, SECONDS(10) + 2);
    before_ns = read_at(&clock, SECONDS(100));
    tell(&clock, NOON, SECONDS(20), SECONDS(50), SECONDS(80));
    assert_int_equal(read_at(&clock, SECONDS(100)), before_ns);
    server_clock_destroy(&clock);
}

TEST(a_server_whose_clock_is_set_is_followed) {
    ServerClock clock;
    int64_t off_ns;

    server_clock_init(&clock, NOON, AT(0));
    tell(&clock, NOON, SECONDS(10), SECONDS(10) + 1, SECONDS(10) + 2);
    tell(&clock, NOON - SECONDS(3600), SECONDS(20), SECONDS(20) + 1, SECONDS(20) + 2);
    off_ns = read_at(&clock, SECONDS(20)) - SECONDS(20) - (NOON - SECONDS(3600));
    assert_true(off_ns >= -SECONDS(1) && off_ns <= SECONDS(1));
    server_clock_destroy(&clock);
}
