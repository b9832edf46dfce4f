// Times as AWS writes them.
#include "aws/protocol/time.h"

#include "base/time.h"
#include "text/decimal.h"
#include "text/duration.h"
#include "text/number.h"

#include <stdio.h>

static const char months[][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
static const char weekdays[][4] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};

// Exact, unlike a double, which has not as many digits as the last years that 63 bits of nanoseconds reach.
static bool seconds_read(Slice text, AwsTime *ret_time) {
    bool negative = text.len && text.ptr[0] == '-', exact;
    Slice rest = slice_from(text, negative);
    Magnitude microseconds;
    int64_t exponent = 0;
    Decimal decimal;

    if (!number_is_json(text))
        return false;
    rest = slice_from(rest, decimal_read(rest, &decimal));
    if (rest.len && !decimal_read_exponent(slice_from(rest, 1), &exponent))
        return false;
    if (!decimal_scale(&decimal, exponent + 6, &microseconds, &exact) || microseconds > INT64_MAX / NS_PER_US)
        return false;
    *ret_time = aws_time((negative ? -(int64_t)microseconds : (int64_t)microseconds) * NS_PER_US);
    return true;
}

static int month_read(Slice text) {
    for (int month = 0; month < 12; month++) {
        if (slice_eq_text(text, months[month]))
            return month;
    }
    return -1;
}

// "Mon, 23 Nov 2026 08:00:00 GMT", with a fraction of a second or without: turned into RFC 3339, whose reader knows
// which days there are.
static bool http_date_read(Slice text, AwsTime *ret_time) {
    enum { BEFORE_TIME = sizeof "Mon, 23 Nov 2026 " - 1, ZONE = sizeof " GMT" - 1 };
    char rfc_3339[64];
    Slice clock;
    int month;

    if (text.len <= BEFORE_TIME + ZONE || text.len > 40 || text.ptr[3] != ',' || text.ptr[7] != ' ' ||
        !slice_ends_with(text, SLICE(" GMT")))
        return false;
    month = month_read((Slice){text.ptr + 8, 3});
    clock = (Slice){text.ptr + BEFORE_TIME, text.len - BEFORE_TIME - ZONE};
    (void)snprintf(rfc_3339, sizeof rfc_3339, "%.4s-%02d-%.2sT%.*sZ", text.ptr + 12, month + 1, text.ptr + 5,
                   SLICE_ARG(clock));
    *ret_time = (AwsTime){.has = true};
    return month >= 0 && time_parse(slice_of(rfc_3339), &ret_time->ns, NULL) == OK;
}

ErrCode aws_time_read(Slice text, AwsTime *ret_time, Err *err) {
    AwsTime time = {.has = true};

    if (time_parse(text, &time.ns, NULL) != OK && !seconds_read(text, &time) && !http_date_read(text, &time))
        return err_set(err, ERR_INVALID, "expected a time");
    *ret_time = time;
    return OK;
}

// The seconds of a time, rounded down, and the microseconds after them.
static time_t split(AwsTime time, int *ret_microseconds) {
    int64_t seconds = time.ns / NS_PER_S - (time.ns % NS_PER_S < 0);

    *ret_microseconds = (int)((time.ns - seconds * NS_PER_S) / NS_PER_US);
    return seconds;
}

void aws_time_write(Buffer *buffer, AwsTimeFormat format, AwsTime time) {
    int microseconds;
    time_t seconds = split(time, &microseconds);
    struct tm date;

    if (format == AWS_TIME_UNIX) {
        buffer_printf(buffer, "%s%lld", seconds < 0 && microseconds ? "-" : "",
                      (long long)(seconds < 0 && microseconds ? -(seconds + 1) : seconds));
        if (microseconds)
            buffer_printf(buffer, ".%06d", seconds < 0 ? 1000000 - microseconds : microseconds);
        return;
    }
    CHECK(gmtime_r(&seconds, &date), "nanoseconds of 63 bits are within the calendar");
    if (format == AWS_TIME_HTTP_DATE) {
        buffer_printf(buffer, "%s, %02d %s %04d %02d:%02d:%02d GMT", weekdays[date.tm_wday], date.tm_mday,
                      months[date.tm_mon], date.tm_year + 1900, date.tm_hour, date.tm_min, date.tm_sec);
        return;
    }
    buffer_printf(buffer, "%04d-%02d-%02dT%02d:%02d:%02d", date.tm_year + 1900, date.tm_mon + 1, date.tm_mday,
                  date.tm_hour, date.tm_min, date.tm_sec);
    if (microseconds)
        buffer_printf(buffer, ".%06d", microseconds);
    buffer_append_char(buffer, 'Z');
}
