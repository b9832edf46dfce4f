// Durations and times.
#include "text/duration.h"

#include "base/time.h"
#include "text/quote.h"

#include <stdio.h>
#include <time.h>

static const struct {
    Slice name;
    int64_t ns;
} units[] = {{SLICE_INIT("ns"), 1},         {SLICE_INIT("us"), NS_PER_US}, {SLICE_INIT("µs"), NS_PER_US},
             {SLICE_INIT("μs"), NS_PER_US}, {SLICE_INIT("ms"), NS_PER_MS}, {SLICE_INIT("s"), NS_PER_S},
             {SLICE_INIT("m"), NS_PER_MIN}, {SLICE_INIT("h"), NS_PER_HOUR}};

static ErrCode complain(Slice text, ErrCode code, Err *err) {
    return err_set(err, code, "expected a duration such as 720h, 5m or 1h30m%s, got %s",
                   code == ERR_RANGE ? ", at most 292 years" : "", quote(text).text);
}

static Slice take_digits(Slice *text) {
    size_t len = 0;
    Slice digits;

    while (len < text->len && text->ptr[len] >= '0' && text->ptr[len] <= '9')
        len++;
    digits = slice_first(*text, len);
    *text = slice_from(*text, len);
    return digits;
}

// Removes the unit (all up to the next digit or point) from the start of *text. Returns its nanoseconds; 0: not one of
// Go's.
static uint64_t take_unit(Slice *text) {
    size_t len = 0;
    Slice name;

    while (len < text->len && text->ptr[len] != '.' && (text->ptr[len] < '0' || text->ptr[len] > '9'))
        len++;
    name = slice_first(*text, len);
    *text = slice_from(*text, len);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (slice_eq(name, units[i].name))
            return (uint64_t)units[i].ns;
    }
    return 0;
}

// The fraction of a unit in nanoseconds. Digits beyond 63 bits are dropped, which does not change the result. Rounded
// as in Go.
static uint64_t fraction_of(Slice digits, uint64_t unit) {
    uint64_t number = 0;
    double scale = 1;

    for (size_t i = 0; i < digits.len && number <= (INT64_MAX - 9) / 10; i++) {
        number = number * 10 + (uint64_t)(digits.ptr[i] - '0');
        scale *= 10;
    }
    return (uint64_t)((double)number * ((double)unit / scale));
}

#define NS_MAX ((uint64_t)INT64_MAX + 1) // of a negative duration; the sign is checked at the end

// Parses one part like "1.5h" at the start of *text and removes it. Fractions of a nanosecond are truncated.
static ErrCode take_part(Slice *text, uint64_t *ret_ns) {
    Slice whole = take_digits(text), fraction = {0};
    uint64_t ns = 0, unit;

    if (text->len && text->ptr[0] == '.') {
        *text = slice_from(*text, 1);
        fraction = take_digits(text);
    }
    unit = take_unit(text);
    if ((!whole.len && !fraction.len) || !unit)
        return ERR_INVALID;
    for (size_t i = 0; i < whole.len; i++) {
        if (ns > NS_MAX / 10)
            return ERR_RANGE;
        ns = ns * 10 + (uint64_t)(whole.ptr[i] - '0');
    }
    if (__builtin_mul_overflow(ns, unit, &ns) || ns > NS_MAX)
        return ERR_RANGE;
    ns += fraction_of(fraction, unit);
    if (ns > NS_MAX)
        return ERR_RANGE;
    *ret_ns = ns;
    return OK;
}

ErrCode duration_parse(Slice text, int64_t *ret_ns, Err *err) {
    bool negative = text.len && text.ptr[0] == '-';
    Slice rest = slice_from(text, text.len && (negative || text.ptr[0] == '+'));
    uint64_t sum = 0;

    if (slice_eq(rest, SLICE("0"))) {
        *ret_ns = 0;
        return OK;
    }
    if (!rest.len)
        return complain(text, ERR_INVALID, err);
    while (rest.len) {
        uint64_t part = 0;
        ErrCode code = take_part(&rest, &part);

        sum += part; // both at most 2^63
        if (code == OK && sum > NS_MAX)
            code = ERR_RANGE;
        if (code != OK)
            return complain(text, code, err);
    }
    if (sum == NS_MAX && !negative)
        return complain(text, ERR_RANGE, err);
    *ret_ns = negative ? (int64_t)-sum : (int64_t)sum;
    return OK;
}

// Prints a value like "1.5s" without trailing zeros of the fraction; `unit` in ns.
static Slice print_fraction(Arena *arena, const char *sign, int64_t ns, int64_t unit, const char *name) {
    char fraction[16];
    int64_t rest = ns % unit;
    int len = 0;

    if (!rest)
        return arena_printf(arena, "%s%lld%s", sign, (long long)(ns / unit), name);
    for (int64_t digit = unit / 10; digit && rest; digit /= 10) {
        fraction[len++] = (char)('0' + rest / digit);
        rest %= digit;
    }
    return arena_printf(arena, "%s%lld.%.*s%s", sign, (long long)(ns / unit), len, fraction, name);
}

Slice duration_print(Arena *arena, int64_t ns) {
    const char *sign = ns < 0 ? "-" : "";
    int64_t hours, minutes;
    Slice seconds;

    if (ns == INT64_MIN)
        return arena_slice(arena, SLICE("-2562047h47m16.854775808s"));
    ns = ns < 0 ? -ns : ns;
    if (ns == 0)
        return arena_slice(arena, SLICE("0s"));
    if (ns < 1000)
        return print_fraction(arena, sign, ns, 1, "ns");
    if (ns < NS_PER_MS)
        return print_fraction(arena, sign, ns, 1000, "µs");
    if (ns < NS_PER_S)
        return print_fraction(arena, sign, ns, NS_PER_MS, "ms");
    hours = ns / NS_PER_HOUR;
    minutes = ns / NS_PER_MIN % 60;
    seconds = print_fraction(arena, "", ns % NS_PER_MIN, NS_PER_S, "s");
    if (hours)
        return arena_printf(arena, "%s%lldh%lldm%.*s", sign, (long long)hours, (long long)minutes, SLICE_ARG(seconds));
    if (minutes)
        return arena_printf(arena, "%s%lldm%.*s", sign, (long long)minutes, SLICE_ARG(seconds));
    return arena_printf(arena, "%s%.*s", sign, SLICE_ARG(seconds));
}

// --- times

// Days since 1970-01-01 of a date in the proleptic Gregorian calendar.
static int64_t days_of(int64_t year, int month, int day) {
    int64_t y = month <= 2 ? year - 1 : year, era = (y >= 0 ? y : y - 399) / 400;
    int64_t year_of_era = y - era * 400, day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

    return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719468;
}

// The number in `len` digits at `at`, or -1.
static int digits_at(Slice text, size_t at, size_t len) {
    int value = 0;

    for (size_t i = at; i < at + len; i++) {
        if (i >= text.len || text.ptr[i] < '0' || text.ptr[i] > '9')
            return -1;
        value = value * 10 + (text.ptr[i] - '0');
    }
    return value;
}

static int days_in_month(int year, int month) {
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

    return month == 2 && leap ? 29 : days[month - 1];
}

// Parses all of the text as an offset, "Z" or "+09:00".
static bool parse_offset(Slice text, int64_t *ret_seconds) {
    int hours = digits_at(text, 1, 2), minutes = digits_at(text, 4, 2);

    if (slice_eq(text, SLICE("Z")) || slice_eq(text, SLICE("z"))) {
        *ret_seconds = 0;
        return true;
    }
    if (text.len != 6 || (text.ptr[0] != '+' && text.ptr[0] != '-') || text.ptr[3] != ':' || hours < 0 || hours > 23 ||
        minutes < 0 || minutes > 59)
        return false;
    *ret_seconds = (text.ptr[0] == '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
    return true;
}

enum { DATE_TIME_LENGTH = 19 };

// Parses a date like "2026-11-21" to days since 1970.
static bool parse_date(Slice text, int64_t *ret_days) {
    int year = digits_at(text, 0, 4), month = digits_at(text, 5, 2), day = digits_at(text, 8, 2);

    if (year < 0 || month < 1 || month > 12 || day < 1 || day > days_in_month(year, month) || text.ptr[4] != '-' ||
        text.ptr[7] != '-')
        return false;
    *ret_days = days_of(year, month, day);
    return true;
}

// Parses a time like "05:00:00" at the eleventh byte to seconds since midnight.
static bool parse_clock(Slice text, int64_t *ret_seconds) {
    int hour = digits_at(text, 11, 2), minute = digits_at(text, 14, 2), second = digits_at(text, 17, 2);

    if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60 || text.ptr[13] != ':' ||
        text.ptr[16] != ':')
        return false;
    *ret_seconds = hour * 3600 + minute * 60 + second;
    return true;
}

ErrCode time_parse(Slice text, int64_t *ret_ns, Err *err) {
    int64_t days, clock, fraction = 0, offset, scale = 100000000;
    __int128 ns;
    size_t at = DATE_TIME_LENGTH;

    if (!parse_date(text, &days) || !parse_clock(text, &clock) || (text.ptr[10] != 'T' && text.ptr[10] != 't'))
        goto bad;
    if (at < text.len && text.ptr[at] == '.') {
        size_t first = ++at;

        for (; at < text.len && text.ptr[at] >= '0' && text.ptr[at] <= '9'; at++, scale /= 10)
            fraction += (text.ptr[at] - '0') * scale;
        if (at == first)
            goto bad;
    }
    if (!parse_offset(slice_from(text, at), &offset))
        goto bad;
    ns = (__int128)(days * 86400 + clock - offset) * 1000000000 + fraction;
    if (ns < INT64_MIN || ns > INT64_MAX)
        goto bad;
    *ret_ns = (int64_t)ns;
    return OK;
bad:
    return err_set(err, ERR_INVALID, "expected a time such as 2026-11-21T05:00:00Z, got %s", quote(text).text);
}

Slice time_print(Arena *arena, int64_t ns) {
    time_t seconds = (time_t)(ns / NS_PER_S - (ns % NS_PER_S < 0));
    struct tm parts;
    char text[40];

    gmtime_r(&seconds, &parts);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return arena_slice(arena, slice_of(text));
}
