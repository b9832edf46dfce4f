// Times in AWS's formats.
#include "aws/protocol/time.h"
#include "base/time.h"
#include "harness/test.h"

static const int64_t morning = INT64_C(1795420800) * NS_PER_S; // 2026-11-23 08:00

static void assert_reads(const char *text, int64_t ns) {
    AwsTime time = {0};

    if (aws_time_read(slice_of(text), &time, NULL) != OK)
        fail_msg("not read: %s", text);
    assert_true(time.has);
    assert_int_equal(time.ns, ns);
}

static void assert_not_a_time(const char *text) {
    AwsTime time = {7, false};

    if (aws_time_read(slice_of(text), &time, NULL) != ERR_INVALID)
        fail_msg("read: %s", text);
    assert_int_equal(time.ns, 7);
}

static void assert_writes(AwsTimeFormat format, int64_t ns, const char *text) {
    Buffer buffer = {0};

    aws_time_write(&buffer, format, aws_time(ns));
    buffer_append_char(&buffer, 0);
    assert_string_equal(buffer.bytes, text);
    buffer_free(&buffer);
}

TEST(all_formats_are_read_wherever_they_stand) {
    assert_reads("2026-11-23T08:00:00Z", morning);
    assert_reads("2026-11-23T08:00:00.250Z", morning + 250 * NS_PER_MS);
    assert_reads("2026-11-23T09:30:00+01:30", morning);
    assert_reads("1795420800", morning);
    assert_reads("1.7954208E9", morning);
    assert_reads("1795420800.25", morning + 250 * NS_PER_MS);
    assert_reads("-1.5", -1500 * NS_PER_MS);
    assert_reads("9223372036.000001", INT64_C(9223372036000001000));
    assert_reads("0.0000019", NS_PER_US);
    assert_reads("Mon, 23 Nov 2026 08:00:00 GMT", morning);
    assert_reads("Mon, 23 Nov 2026 08:00:00.250 GMT", morning + 250 * NS_PER_MS);
}

TEST(what_is_no_time_is_refused) {
    static const char *const bad[] = {"",
                                      "soon",
                                      "2026-11-23",
                                      "2026-13-23T08:00:00Z",
                                      "1e300",
                                      "9223372037",
                                      "1.",
                                      "Mon, 23 Nov 2026 08:00:00",
                                      "Mon, 23 Foo 2026 08:00:00 GMT",
                                      "Mon, 31 Feb 2026 08:00:00 GMT",
                                      "Mon, 23 Nov 2026 08:61:00 GMT",
                                      "Mon, 23 Nov 2026 GMT",
                                      "Mon, 23 Nov 2026  GMT",
                                      "Monday, 23-Nov-26 08:00:00 GMT"};

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_not_a_time(bad[i]);
}

TEST(times_are_written_with_the_fraction_that_they_have) {
    assert_writes(AWS_TIME_ISO_8601, morning, "2026-11-23T08:00:00Z");
    assert_writes(AWS_TIME_ISO_8601, morning + 7 * NS_PER_US, "2026-11-23T08:00:00.000007Z");
    assert_writes(AWS_TIME_ISO_8601, -NS_PER_MS, "1969-12-31T23:59:59.999000Z");
    assert_writes(AWS_TIME_UNIX, morning, "1795420800");
    assert_writes(AWS_TIME_UNIX, morning + 250 * NS_PER_MS, "1795420800.250000");
    assert_writes(AWS_TIME_UNIX, -1500 * NS_PER_MS, "-1.500000");
    assert_writes(AWS_TIME_UNIX, -NS_PER_S, "-1");
    assert_writes(AWS_TIME_HTTP_DATE, morning + 250 * NS_PER_MS, "Mon, 23 Nov 2026 08:00:00 GMT");
}

TEST(what_is_written_is_read_again) {
    static const int64_t moments[] = {0, 1000, -1000, -999999000, 1, INT64_C(1795420800123456000)};

    for (size_t i = 0; i < sizeof moments / sizeof *moments; i++) {
        for (int format = AWS_TIME_ISO_8601; format <= AWS_TIME_UNIX; format++) {
            Buffer buffer = {0};
            AwsTime time;

            aws_time_write(&buffer, (AwsTimeFormat)format, aws_time(moments[i]));
            assert_int_equal(aws_time_read(buffer_slice(&buffer), &time, NULL), OK);
            assert_int_equal(time.ns, moments[i] / NS_PER_US * NS_PER_US);
            buffer_free(&buffer);
        }
    }
}
