// Durations and times; the expectations were made with Go's time package.
#include "base/random.h"
#include "base/time.h"
#include "harness/test.h"
#include "text/duration.h"

#include <stdio.h>

#include <string.h>

static Arena arena;

static void end(void) {
    arena_free(&arena);
}

AFTER_EACH(end);

static const struct {
    const char *text;
    int64_t ns;
    const char *printed;
} good[] = {
    {"0", INT64_C(0), "0s"},
    {"5s", INT64_C(5000000000), "5s"},
    {"30s", INT64_C(30000000000), "30s"},
    {"1478s", INT64_C(1478000000000), "24m38s"},
    {"-5s", INT64_C(-5000000000), "-5s"},
    {"+5s", INT64_C(5000000000), "5s"},
    {"-0", INT64_C(0), "0s"},
    {"+0", INT64_C(0), "0s"},
    {"5.0s", INT64_C(5000000000), "5s"},
    {"5.6s", INT64_C(5600000000), "5.6s"},
    {"5.s", INT64_C(5000000000), "5s"},
    {".5s", INT64_C(500000000), "500ms"},
    {"1.0s", INT64_C(1000000000), "1s"},
    {"1.00s", INT64_C(1000000000), "1s"},
    {"1.004s", INT64_C(1004000000), "1.004s"},
    {"1.0040s", INT64_C(1004000000), "1.004s"},
    {"100.00100s", INT64_C(100001000000), "1m40.001s"},
    {"10ns", INT64_C(10), "10ns"},
    {"11us", INT64_C(11000), "11\302\265s"},
    {"12\302\265s", INT64_C(12000), "12\302\265s"},
    {"12\316\274s", INT64_C(12000), "12\302\265s"},
    {"13ms", INT64_C(13000000), "13ms"},
    {"14s", INT64_C(14000000000), "14s"},
    {"15m", INT64_C(900000000000), "15m0s"},
    {"16h", INT64_C(57600000000000), "16h0m0s"},
    {"3h30m", INT64_C(12600000000000), "3h30m0s"},
    {"10.5s4m", INT64_C(250500000000), "4m10.5s"},
    {"-2m3.4s", INT64_C(-123400000000), "-2m3.4s"},
    {"1h2m3s4ms5us6ns", INT64_C(3723004005006), "1h2m3.004005006s"},
    {"39h9m14.425s", INT64_C(140954425000000), "39h9m14.425s"},
    {"52763797000ns", INT64_C(52763797000), "52.763797s"},
    {"0.3333333333333333333h", INT64_C(1200000000000), "20m0s"},
    {"9007199254740993ns", INT64_C(9007199254740993), "2501h59m59.254740993s"},
    {"9223372036854775807ns", INT64_C(9223372036854775807), "2562047h47m16.854775807s"},
    {"9223372036854775.807us", INT64_C(9223372036854775807), "2562047h47m16.854775807s"},
    {"9223372036s854ms775us807ns", INT64_C(9223372036854775807), "2562047h47m16.854775807s"},
    {"-9223372036854775808ns", INT64_MIN, "-2562047h47m16.854775808s"},
    {"-9223372036854775.808us", INT64_MIN, "-2562047h47m16.854775808s"},
    {"-9223372036s854ms775us808ns", INT64_MIN, "-2562047h47m16.854775808s"},
    {"2562047h47m16.854775807s", INT64_C(9223372036854775807), "2562047h47m16.854775807s"},
    {"-2562047h47m16.854775808s", INT64_MIN, "-2562047h47m16.854775808s"},
    {"0.100000000000000000000h", INT64_C(360000000000), "6m0s"},
    {"0.830103483285477580700h", INT64_C(2988372539827), "49m48.372539827s"},
    {"0.9223372036854775807000000s", INT64_C(922337203), "922.337203ms"},
    {"0.0000000001s", INT64_C(0), "0s"},
    {"1.9999999999s", INT64_C(1999999999), "1.999999999s"},
    {"720h", INT64_C(2592000000000000), "720h0m0s"},
    {"1m", INT64_C(60000000000), "1m0s"},
    {"00000000000000000000000001s", INT64_C(1000000000), "1s"},
};

static const char *const bad[] = {"Never", "",         "3",   "-",      "s",    ".",     "-.",   ".s",
                                  "+.s",   "1d",       "1 h", " 1h",    "1h ",  "1h-2m", "--1h", "1H",
                                  "1hour", "\303\251", "1x",  "1.2.3s", "1e3s", "0x10s", "1.5"};

static const char *const too_long[] = {
    "9223372036854775808ns", "-9223372036854775809ns",  "2562047h47m16.854775808s", "2562048h", "3000000h",
    "9223372036854775807h",  "99999999999999999999999h"};

TEST(durations_are_read_as_go_does) {
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        int64_t ns = 77;
        Err err = {0};

        if (duration_parse(slice_of(good[i].text), &ns, &err) != OK || ns != good[i].ns)
            fail_msg("%s: expected %lld, got %lld (%s)", good[i].text, (long long)good[i].ns, (long long)ns, err.text);
    }
}

TEST(durations_are_printed_as_go_does) {
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        Slice text = duration_print(&arena, good[i].ns);

        if (!slice_eq_text(text, good[i].printed))
            fail_msg("%lld: expected %s, got %.*s", (long long)good[i].ns, good[i].printed, SLICE_ARG(text));
    }
}

TEST(what_is_no_duration_is_refused) {
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int64_t ns = 77;

        if (duration_parse(slice_of(bad[i]), &ns, NULL) != ERR_INVALID || ns != 77)
            fail_msg("\"%s\" was taken as %lld", bad[i], (long long)ns);
    }
    assert_int_equal(duration_parse((Slice){0}, &(int64_t){0}, NULL), ERR_INVALID);
    assert_int_equal(duration_parse((Slice){"1h\0", 3}, &(int64_t){0}, NULL), ERR_INVALID);
}

TEST(what_63_bits_do_not_hold_is_refused) {
    for (size_t i = 0; i < sizeof too_long / sizeof *too_long; i++) {
        int64_t ns = 77;

        if (duration_parse(slice_of(too_long[i]), &ns, NULL) != ERR_RANGE || ns != 77)
            fail_msg("\"%s\" was taken as %lld", too_long[i], (long long)ns);
    }
}

TEST(complaints_show_what_was_written_in_one_line) {
    Err err;

    assert_int_equal(duration_parse(SLICE("30d\n"), &(int64_t){0}, &err), ERR_INVALID);
    assert_string_equal(err.text, "expected a duration such as 720h, 5m or 1h30m, got \"30d\\x0a\"");
    assert_int_equal(duration_parse(SLICE("3000000h"), &(int64_t){0}, &err), ERR_RANGE);
    assert_string_equal(err.text, "expected a duration such as 720h, 5m or 1h30m, at most 292 years, got \"3000000h\"");
    assert_int_equal(time_parse(SLICE("tomorrow"), &(int64_t){0}, &err), ERR_INVALID);
    assert_string_equal(err.text, "expected a time such as 2026-11-21T05:00:00Z, got \"tomorrow\"");
}

TEST(printed_durations_read_back) {
    Random random;

    random_seed(&random, 20260104);
    for (int i = 0; i < 50000; i++) {
        int64_t ns = (int64_t)(random_u64(&random) >> random_below(&random, 64)), back = 0;
        ArenaMark mark = arena_mark(&arena);
        Slice text;

        if (random_chance(&random, 50))
            ns -= ns % NS_PER_S;
        text = duration_print(&arena, ns);
        if (duration_parse(text, &back, NULL) != OK || back != ns)
            fail_msg("seed 20260104, round %d: %lld gave %.*s gave %lld", i, (long long)ns, SLICE_ARG(text),
                     (long long)back);
        arena_rewind(&arena, mark);
    }
}

static const struct {
    const char *text;
    int64_t ns;
    const char *printed;
} times[] = {
    {"2026-11-21T05:00:00Z", INT64_C(1795237200000000000), "2026-11-21T05:00:00Z"},
    {"2026-11-21T05:00:00.5Z", INT64_C(1795237200500000000), "2026-11-21T05:00:00Z"},
    {"2026-11-21T05:00:00.123456789Z", INT64_C(1795237200123456789), "2026-11-21T05:00:00Z"},
    {"2026-01-01T00:00:00.1234567891Z", INT64_C(1767225600123456789), "2026-01-01T00:00:00Z"},
    {"2026-11-21T14:00:00+09:00", INT64_C(1795237200000000000), "2026-11-21T05:00:00Z"},
    {"2026-11-20T22:30:00-06:30", INT64_C(1795237200000000000), "2026-11-21T05:00:00Z"},
    {"1970-01-01T00:00:00Z", 0, "1970-01-01T00:00:00Z"},
    {"1969-12-31T23:59:59Z", INT64_C(-1000000000), "1969-12-31T23:59:59Z"},
    {"1969-12-31T23:59:59.5Z", INT64_C(-500000000), "1969-12-31T23:59:59Z"},
    {"2000-02-29T12:00:00Z", INT64_C(951825600000000000), "2000-02-29T12:00:00Z"},
    {"2024-02-29T00:00:00Z", INT64_C(1709164800000000000), "2024-02-29T00:00:00Z"},
    {"1900-02-28T23:59:59Z", INT64_C(-2203891201000000000), "1900-02-28T23:59:59Z"},
    {"2262-04-11T23:47:16.854775807Z", INT64_MAX, "2262-04-11T23:47:16Z"},
    {"1677-09-21T00:12:43.145224192Z", INT64_MIN, "1677-09-21T00:12:43Z"},
};

TEST(times_are_read_and_printed) {
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        int64_t ns = 77;
        Err err = {0};
        Slice text;

        if (time_parse(slice_of(times[i].text), &ns, &err) != OK || ns != times[i].ns)
            fail_msg("%s: expected %lld, got %lld (%s)", times[i].text, (long long)times[i].ns, (long long)ns,
                     err.text);
        text = time_print(&arena, ns);
        if (!slice_eq_text(text, times[i].printed))
            fail_msg("%lld: expected %s, got %.*s", (long long)ns, times[i].printed, SLICE_ARG(text));
    }
}

TEST(what_is_no_time_is_refused) {
    static const char *const bad_times[] = {"",
                                            "2026",
                                            "2026-11-21",
                                            "2026-11-21T05:00:00",
                                            "2026-11-21 05:00:00Z",
                                            "2026-11-21T05:00Z",
                                            "2026-13-21T05:00:00Z",
                                            "2026-00-21T05:00:00Z",
                                            "2026-11-31T05:00:00Z",
                                            "2026-11-00T05:00:00Z",
                                            "2025-02-29T05:00:00Z",
                                            "1900-02-29T05:00:00Z",
                                            "2026-11-21T24:00:00Z",
                                            "2026-11-21T05:60:00Z",
                                            "2026-11-21T05:00:61Z",
                                            "2026-11-21T05:00:00.Z",
                                            "2026-11-21T05:00:00+0900",
                                            "2026-11-21T05:00:00+09:60",
                                            "2026-11-21T05:00:00+24:00",
                                            "2026-11-21T05:00:00Z ",
                                            "2026-11-21T05:00:00ZZ",
                                            " 2026-11-21T05:00:00Z",
                                            "26-11-21T05:00:00Z",
                                            "2026/11/21T05:00:00Z",
                                            "2026-11-21T05-00-00Z",
                                            "2262-04-11T23:47:16.854775808Z",
                                            "1677-09-21T00:12:43.145224191Z",
                                            "9999-01-01T00:00:00Z",
                                            "now"};

    for (size_t i = 0; i < sizeof bad_times / sizeof *bad_times; i++) {
        int64_t ns = 77;

        if (time_parse(slice_of(bad_times[i]), &ns, NULL) != ERR_INVALID || ns != 77)
            fail_msg("\"%s\" was taken as %lld", bad_times[i], (long long)ns);
    }
}

// No proper prefix of a time is valid, and nothing after the end is read.
TEST(a_time_has_to_be_whole) {
    static const char text[] = "2026-11-21T05:00:00.25+09:00";

    for (size_t len = 0; len < sizeof text - 1; len++) {
        char *copy = arena_copy(&arena, text, len);

        assert_int_equal(time_parse((Slice){copy, len}, &(int64_t){0}, NULL), ERR_INVALID);
    }
    assert_int_equal(time_parse(slice_of(text), &(int64_t){0}, NULL), OK);
}
