// Units, sums that do not wrap, and moments.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
// cmocka wants the above first
#include <cmocka.h>

#include "base/time.h"

static void sums_end_at_the_ends_of_the_scale(void **state) {
    (void)state;
    assert_int_equal(ns_add(NS_PER_HOUR, 24 * NS_PER_HOUR), NS_PER_DAY + NS_PER_HOUR);
    assert_int_equal(ns_add(INT64_MAX - 1, 2), INT64_MAX);
    assert_int_equal(ns_add(INT64_MIN + 1, -2), INT64_MIN);
}

static void a_timespec_is_what_it_was_made_of(void **state) {
    struct timespec time = timespec_of_ns(3 * NS_PER_S + 5 * NS_PER_MS);

    (void)state;
    assert_int_equal(time.tv_sec, 3);
    assert_int_equal(time.tv_nsec, 5000000);
    assert_int_equal(ns_of_timespec(time), 3 * NS_PER_S + 5 * NS_PER_MS);
    assert_true(ns_to_s(1500 * NS_PER_MS) == 1.5);
}

// A machine that has just started is no reason to think that something has just happened.
static void what_never_happened_was_long_ago(void **state) {
    const Mono never = {0}, soon_after_boot = {NS_PER_S};

    (void)state;
    assert_false(mono_is_set(never));
    assert_true(mono_since(soon_after_boot, never) > NS_PER_DAY);
    assert_int_equal(mono_left(soon_after_boot, never), 0);
    assert_true(mono_reached(soon_after_boot, never));
}

static void the_end_is_never_reached(void **state) {
    const Mono late = {INT64_MAX};

    (void)state;
    assert_false(mono_reached((Mono){INT64_MAX - 1}, MONO_END));
    assert_false(mono_reached(late, MONO_END));
    assert_int_equal(mono_left((Mono){1}, MONO_END), INT64_MAX);
    assert_int_equal(mono_after(MONO_END, -NS_PER_DAY).ns, INT64_MAX);
    assert_int_equal(mono_after((Mono){5}, INT64_MAX).ns, INT64_MAX);
}

static void moments_are_compared(void **state) {
    const Mono early = {3 * NS_PER_S}, late = {5 * NS_PER_S};

    (void)state;
    assert_int_equal(mono_since(late, early), 2 * NS_PER_S);
    assert_int_equal(mono_left(early, late), 2 * NS_PER_S);
    assert_int_equal(mono_left(late, early), 0);
    assert_true(mono_reached(late, late));
    assert_false(mono_reached(early, late));
    assert_int_equal(mono_first(late, early).ns, early.ns);
    assert_int_equal(mono_last(late, early).ns, late.ns);
    assert_int_equal(mono_after(early, 2 * NS_PER_S).ns, late.ns);
}

static void the_systems_clocks_go_on(void **state) {
    Mono mono = clock_system_mono(), awake = clock_system_awake();

    (void)state;
    assert_true(mono_is_set(mono) && mono_is_set(awake));
    assert_true(mono_since(clock_system_mono(), mono) >= 0 && mono_since(clock_system_awake(), awake) >= 0);
    assert_true(clock_system_wall_ns() > 1767225600 * NS_PER_S); // 2026
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_end_at_the_ends_of_the_scale),
        cmocka_unit_test(a_timespec_is_what_it_was_made_of),
        cmocka_unit_test(what_never_happened_was_long_ago),
        cmocka_unit_test(the_end_is_never_reached),
        cmocka_unit_test(moments_are_compared),
        cmocka_unit_test(the_systems_clocks_go_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
