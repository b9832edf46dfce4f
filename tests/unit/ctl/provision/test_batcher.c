// The batching window. Row of reference scheduling.md 12: "batching"; Q6.
#include "ctl/provision/batcher.h"
#include "durations.h"
#include "harness/test.h"

static Batcher one_second_of_ten(void) {
    Batcher batcher;

    batcher_init(&batcher, MILLISECONDS(BATCH_IDLE_DEFAULT_MS), MILLISECONDS(BATCH_MAX_DEFAULT_MS));
    return batcher;
}

static void assert_waiting(Batcher *batcher, int64_t now_ms, int64_t until_ms) {
    Mono look_again = {-1};

    assert_int_equal(batcher_poll(batcher, AT(MILLISECONDS(now_ms)), &look_again), BATCH_WAITING);
    assert_int_equal(look_again.ns, MILLISECONDS(until_ms));
}

static void assert_state(Batcher *batcher, int64_t now_ms, BatchState expected) {
    Mono look_again = {-1};

    assert_int_equal(batcher_poll(batcher, AT(MILLISECONDS(now_ms)), &look_again), expected);
    assert_int_equal(look_again.ns, -1);
}

TEST(row_batching_nothing_before_a_trigger) {
    Batcher batcher = one_second_of_ten();

    assert_state(&batcher, 0, BATCH_NONE);
    assert_state(&batcher, 100000, BATCH_NONE);
    batcher_free(&batcher);
}

TEST(row_batching_closes_when_idle) {
    Batcher batcher = one_second_of_ten();

    batcher_trigger(&batcher, 1, AT(MILLISECONDS(500)));
    assert_waiting(&batcher, 500, 1500);
    assert_waiting(&batcher, 1499, 1500);
    assert_state(&batcher, 1500, BATCH_READY);
    assert_state(&batcher, 1500, BATCH_NONE);
    batcher_free(&batcher);
}

TEST(row_batching_idle_extends_per_new_pod) {
    Batcher batcher = one_second_of_ten();

    batcher_trigger(&batcher, 1, AT(MILLISECONDS(0)));
    batcher_trigger(&batcher, 2, AT(MILLISECONDS(900)));
    assert_waiting(&batcher, 1000, 1900);
    batcher_trigger(&batcher, 3, AT(MILLISECONDS(1800)));
    assert_waiting(&batcher, 1900, 2800);
    assert_state(&batcher, 2800, BATCH_READY);
    batcher_free(&batcher);
}

TEST(row_batching_repeated_events_do_not_extend) {
    Batcher batcher = one_second_of_ten();

    batcher_trigger(&batcher, 1, AT(MILLISECONDS(0)));
    batcher_trigger(&batcher, 2, AT(MILLISECONDS(100)));
    batcher_trigger(&batcher, 1, AT(MILLISECONDS(900)));
    batcher_trigger(&batcher, 2, AT(MILLISECONDS(1000)));
    assert_waiting(&batcher, 1000, 1100);
    assert_state(&batcher, 1100, BATCH_READY);
    batcher_free(&batcher);
}

TEST(row_batching_capped_at_the_maximum) {
    Batcher batcher = one_second_of_ten();

    for (int i = 0; i < 20; i++)
        batcher_trigger(&batcher, (Symbol)i + 1, AT(MILLISECONDS(i * 500)));
    assert_waiting(&batcher, 9500, 10000);
    assert_state(&batcher, 10000, BATCH_READY);
    batcher_free(&batcher);
}

// Uids are forgotten with the window, so the same pod opens the next one.
TEST(row_batching_uids_are_forgotten_with_the_window) {
    Batcher batcher = one_second_of_ten();

    batcher_trigger(&batcher, 1, AT(MILLISECONDS(0)));
    assert_state(&batcher, 1000, BATCH_READY);
    batcher_trigger(&batcher, 1, AT(MILLISECONDS(1200)));
    assert_waiting(&batcher, 1200, 2200);
    batcher_trigger(&batcher, 2, AT(MILLISECONDS(1300)));
    assert_waiting(&batcher, 1300, 2300);
    assert_state(&batcher, 2300, BATCH_READY);
    batcher_free(&batcher);
}

// Triggers between the end of a window and the late poll belong to that window, which does not wait for them.
TEST(row_batching_a_due_window_takes_late_triggers_along) {
    Batcher batcher = one_second_of_ten();

    batcher_trigger(&batcher, 1, AT(MILLISECONDS(0)));
    batcher_trigger(&batcher, 2, AT(MILLISECONDS(5000)));
    assert_state(&batcher, 5000, BATCH_READY);
    assert_state(&batcher, 5000, BATCH_NONE);
    batcher_free(&batcher);
}

TEST(row_batching_a_window_that_was_not_planned_is_armed_again) {
    Batcher batcher = one_second_of_ten();

    batcher_trigger(&batcher, 1, AT(MILLISECONDS(0)));
    assert_state(&batcher, 1000, BATCH_READY);
    batcher_retry(&batcher, AT(MILLISECONDS(1100)));
    assert_waiting(&batcher, 1100, 2100);
    // A pod that triggers meanwhile joins it, also one that triggered before.
    batcher_trigger(&batcher, 1, AT(MILLISECONDS(1600)));
    assert_waiting(&batcher, 1600, 2600);
    assert_state(&batcher, 2600, BATCH_READY);
    assert_state(&batcher, 2600, BATCH_NONE);
    batcher_free(&batcher);
}

TEST(row_batching_retry_joins_an_open_window) {
    Batcher batcher = one_second_of_ten();

    batcher_trigger(&batcher, 1, AT(MILLISECONDS(0)));
    assert_state(&batcher, 1000, BATCH_READY);
    batcher_trigger(&batcher, 2, AT(MILLISECONDS(1500)));
    batcher_retry(&batcher, AT(MILLISECONDS(2000)));
    assert_waiting(&batcher, 2000, 2500);
    assert_state(&batcher, 2500, BATCH_READY);
    batcher_free(&batcher);
}

TEST(no_idle_time_plans_at_the_first_look) {
    Batcher batcher;

    batcher_init(&batcher, 0, MILLISECONDS(10000));
    batcher_trigger(&batcher, 1, AT(MILLISECONDS(7)));
    assert_state(&batcher, 7, BATCH_READY);
    batcher_free(&batcher);
}

// Very long durations do not overflow.
TEST(endless_durations_do_not_overflow) {
    Batcher batcher;

    batcher_init(&batcher, INT64_MAX, MILLISECONDS(10));
    batcher_trigger(&batcher, 1, AT(MILLISECONDS(1)));
    assert_waiting(&batcher, 10, 11);
    assert_state(&batcher, 11, BATCH_READY);
    batcher_free(&batcher);
}
