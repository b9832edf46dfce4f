// Units, sums that do not wrap, and moments.
#include "base/time.h"
#include "harness/test.h"

TEST(sums_end_at_the_ends_of_the_scale) {
    assert_int_equal(ns_add(NS_PER_HOUR, 24 * NS_PER_HOUR), NS_PER_DAY + NS_PER_HOUR);
    assert_int_equal(ns_add(INT64_MAX - 1, 2), INT64_MAX);
    assert_int_equal(ns_add(INT64_MIN + 1, -2), INT64_MIN);
}

TEST(a_timespec_is_what_it_was_made_of) {
    struct timespec time = timespec_of_ns(3 * NS_PER_S + 5 * NS_PER_MS);

    assert_int_equal(time.tv_sec, 3);
    assert_int_equal(time.tv_nsec, 5000000);
    assert_int_equal(ns_of_timespec(time), 3 * NS_PER_S + 5 * NS_PER_MS);
    assert_true(ns_to_s(1500 * NS_PER_MS) == 1.5);
}

// A time that never was is long ago even on a machine that has just started.
TEST(a_time_that_is_not_set_is_long_ago) {
    const Mono never = {0}, soon_after_boot = {NS_PER_S};

    assert_false(mono_is_set(never));
    assert_true(mono_since(soon_after_boot, never) > NS_PER_DAY);
    assert_int_equal(mono_left(soon_after_boot, never), 0);
    assert_true(mono_reached(soon_after_boot, never));
}

TEST(mono_end_is_never_reached) {
    const Mono late = {INT64_MAX};

    assert_false(mono_reached((Mono){INT64_MAX - 1}, MONO_END));
    assert_false(mono_reached(late, MONO_END));
    assert_int_equal(mono_left((Mono){1}, MONO_END), INT64_MAX);
    assert_int_equal(mono_after(MONO_END, -NS_PER_DAY).ns, INT64_MAX);
    assert_int_equal(mono_after((Mono){5}, INT64_MAX).ns, INT64_MAX);
}

TEST(moments_are_compared) {
    const Mono early = {3 * NS_PER_S}, late = {5 * NS_PER_S};

    assert_int_equal(mono_since(late, early), 2 * NS_PER_S);
    assert_int_equal(mono_left(early, late), 2 * NS_PER_S);
    assert_int_equal(mono_left(late, early), 0);
    assert_true(mono_reached(late, late));
    assert_false(mono_reached(early, late));
    assert_int_equal(mono_first(late, early).ns, early.ns);
    assert_int_equal(mono_last(late, early).ns, late.ns);
    assert_int_equal(mono_after(early, 2 * NS_PER_S).ns, late.ns);
}

TEST(the_systems_clocks_go_on) {
    Mono mono = clock_system_mono(), awake = clock_system_awake();

    assert_true(mono_is_set(mono) && mono_is_set(awake));
    assert_true(mono_since(clock_system_mono(), mono) >= 0 && mono_since(clock_system_awake(), awake) >= 0);
    assert_true(clock_system_wall_ns() > 1767225600 * NS_PER_S); // 2026
}
