// The adaptive batch window: a single pod is planned at once, a burst is batched.
#include "ctl/provision/batch.h"
#include "durations.h"
#include "harness/test.h"

// Polls at every millisecond from `from_ms`; the first at which the window is ready, -1 within a minute.
static int64_t ready_at(ProvisionBatch *batch, int64_t from_ms) {
    for (int64_t at = from_ms; at < from_ms + 60000; at++) {
        Mono again;

        if (provision_batch_poll(batch, AT(at * NS_PER_MS), &again) == BATCH_READY)
            return at;
    }
    return -1;
}

static void make(ProvisionBatch *batch) {
    provision_batch_init(batch, 1000 * NS_PER_MS, 10000 * NS_PER_MS);
}

TEST(a_lone_pod_after_a_quiet_time_waits_a_twentieth_of_the_idle_duration) {
    ProvisionBatch batch;

    make(&batch);
    provision_batch_trigger(&batch, 1, AT(5000 * NS_PER_MS));
    assert_int_equal(ready_at(&batch, 5000), 5050);
    provision_batch_free(&batch);
}

TEST(pods_of_one_moment_go_into_one_plan) {
    ProvisionBatch batch;

    make(&batch);
    for (uint32_t i = 0; i < 10; i++)
        provision_batch_trigger(&batch, 1 + i, AT((20 * i) * NS_PER_MS));
    assert_int_equal(ready_at(&batch, 180), 230);
    assert_int_equal(ready_at(&batch, 231), -1);
    provision_batch_free(&batch);
}

TEST(the_leading_edge_ends_after_one_idle_duration) {
    ProvisionBatch batch;
    int64_t ready = -1;
    Mono again;

    make(&batch);
    for (int64_t at = 0; ready < 0 && at < 5000; at += 10) {
        provision_batch_trigger(&batch, (Symbol)(1 + at), AT(at * NS_PER_MS));
        if (provision_batch_poll(&batch, AT(at * NS_PER_MS), &again) == BATCH_READY)
            ready = at;
    }
    assert_int_equal(ready, 1000);
    provision_batch_free(&batch);
}

TEST(pods_during_a_plan_are_batched_for_the_idle_duration) {
    ProvisionBatch batch;

    make(&batch);
    provision_batch_trigger(&batch, 1, AT(0));
    assert_int_equal(ready_at(&batch, 0), 50);
    provision_batch_trigger(&batch, 2, AT(100 * NS_PER_MS));
    provision_batch_trigger(&batch, 3, AT(600 * NS_PER_MS));
    provision_batch_end(&batch, AT(700 * NS_PER_MS), false);
    assert_int_equal(ready_at(&batch, 700), 1600);
    provision_batch_free(&batch);
}

TEST(pods_soon_after_a_plan_are_batched_too) {
    ProvisionBatch batch;

    make(&batch);
    provision_batch_trigger(&batch, 1, AT(0));
    assert_int_equal(ready_at(&batch, 0), 50);
    provision_batch_end(&batch, AT(100 * NS_PER_MS), false);
    provision_batch_trigger(&batch, 2, AT(1099 * NS_PER_MS));
    assert_int_equal(ready_at(&batch, 1099), 2099);
    provision_batch_end(&batch, AT(2100 * NS_PER_MS), false);
    provision_batch_trigger(&batch, 3, AT(3100 * NS_PER_MS)); // quiet for one idle duration
    assert_int_equal(ready_at(&batch, 3100), 3150);
    provision_batch_free(&batch);
}

TEST(a_burst_is_planned_at_the_maximum_at_the_latest) {
    ProvisionBatch batch;
    int64_t ready = -1;
    Mono again;

    make(&batch);
    provision_batch_trigger(&batch, 1, AT(0));
    assert_int_equal(ready_at(&batch, 0), 50);
    for (int64_t at = 100; ready < 0 && at < 30000; at += 500) {
        provision_batch_trigger(&batch, (Symbol)(1 + at), AT(at * NS_PER_MS));
        if (provision_batch_poll(&batch, AT(at * NS_PER_MS), &again) == BATCH_READY)
            ready = at;
    }
    assert_int_equal(ready, 10100);
    provision_batch_free(&batch);
}

TEST(a_known_pod_does_not_extend_the_window) {
    ProvisionBatch batch;

    make(&batch);
    provision_batch_trigger(&batch, 1, AT(0));
    provision_batch_trigger(&batch, 1, AT(40 * NS_PER_MS));
    assert_int_equal(ready_at(&batch, 40), 50);
    provision_batch_free(&batch);
}

TEST(a_plan_that_failed_is_tried_again_after_the_idle_duration) {
    ProvisionBatch batch;

    make(&batch);
    provision_batch_trigger(&batch, 1, AT(0));
    assert_int_equal(ready_at(&batch, 0), 50);
    provision_batch_end(&batch, AT(100 * NS_PER_MS), true);
    assert_int_equal(ready_at(&batch, 100), 1100);
    provision_batch_free(&batch);
}

TEST(a_window_without_work_does_not_end_the_quiet) {
    ProvisionBatch batch;

    make(&batch);
    provision_batch_trigger(&batch, 1, AT(0));
    assert_int_equal(ready_at(&batch, 0), 50);
    provision_batch_drop(&batch);
    provision_batch_trigger(&batch, 2, AT(100 * NS_PER_MS));
    assert_int_equal(ready_at(&batch, 100), 150);
    provision_batch_free(&batch);
}
