// Durations and times.
#include "text/duration.h"

#include <stdio.h>
#include <time.h>

static const struct {
    Slice name;
    int64_t ns;
} units[] = {{SLICE_INIT("ns"), 1},          {SLICE_INIT("us"), 1000},        {SLICE_INIT("µs"), 1000},
             {SLICE_INIT("μs"), 1000},       {SLICE_INIT("ms"), 1000000},     {SLICE_INIT("s"), 1000000000},
             {SLICE_INIT("m"), 60000000000}, {SLICE_INIT("h"), 3600000000000}};

static ErrCode complain(Slice text, ErrCode code, Err *err) {
    return err_set(err, code, "expected a duration such as 720h, 5m or 1h30m, got \"%.*s\"",
                   (int)(text.len < 40 ? text.len : 40), text.ptr);
}

static size_t count_digits(Slice text) {
    size_t len = 0;

    while (len < text.len && text.ptr[len] >= '0' && text.ptr[len] <= '9')
        len++;
    return len;
}

// One "1.5h" at the start of *text, taken off it. Fractions beyond a nanosecond are cut.
static ErrCode take_part(Slice *text, int64_t *ret_ns) {
    size_t whole_len = count_digits(*text), fraction_len = 0, unit_len = 0;
    Slice whole = slice_first(*text, whole_len), rest = slice_from(*text, whole_len), fraction = {0};
    int64_t value = 0, unit = 0;
    double part = 0, scale = 1;

    if (rest.len && rest.ptr[0] == '.') {
        fraction_len = count_digits(slice_from(rest, 1));
        fraction = slice_first(slice_from(rest, 1), fraction_len);
        rest = slice_from(rest, fraction_len + 1);
    }
    if (!whole_len && !fraction_len)
        return ERR_INVALID;
    while (unit_len < rest.len && rest.ptr[unit_len] != '.' && (rest.ptr[unit_len] < '0' || rest.ptr[unit_len] > '9'))
        unit_len++;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (slice_eq(slice_first(rest, unit_len), units[i].name))
            unit = units[i].ns;
    }
    if (!unit)
        return ERR_INVALID;
    if (whole_len && (!slice_to_int64(whole, &value) || __builtin_mul_overflow(value, unit, &value)))
        return ERR_RANGE;
    for (size_t i = 0; i < fraction_len && i < 18; i++) {
        scale /= 10;
        part += (fraction.ptr[i] - '0') * scale;
    }
    if (__builtin_add_overflow(value, (int64_t)(part * (double)unit + 1e-6), &value))
        return ERR_RANGE;
    *text = slice_from(rest, unit_len);
    *ret_ns = value;
    return OK;
}

ErrCode duration_parse(Slice text, int64_t *ret_ns, Err *err) {
    Slice rest = text;
    bool negative = rest.len && rest.ptr[0] == '-';
    int64_t sum = 0;

    if (rest.len && (negative || rest.ptr[0] == '+'))
        rest = slice_from(rest, 1);
    if (slice_eq(rest, SLICE("0"))) {
        *ret_ns = 0;
        return OK;
    }
    if (!rest.len)
        return complain(text, ERR_INVALID, err);
    while (rest.len) {
        int64_t part;
        ErrCode code = take_part(&rest, &part);

        if (code == OK && __builtin_add_overflow(sum, part, &sum))
            code = ERR_RANGE;
        if (code != OK)
            return complain(text, code, err);
    }
    *ret_ns = negative ? -sum : sum;
    return OK;
}

// "1.5s" without trailing zeros of the fraction; `unit` ns.
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
    if (ns < 1000000)
        return print_fraction(arena, sign, ns, 1000, "µs");
    if (ns < 1000000000)
        return print_fraction(arena, sign, ns, 1000000, "ms");
    hours = ns / 3600000000000;
    minutes = ns / 60000000000 % 60;
    seconds = print_fraction(arena, "", ns % 60000000000, 1000000000, "s");
    if (hours)
        return arena_printf(arena, "%s%lldh%lldm%.*s", sign, (long long)hours, (long long)minutes, SLICE_ARG(seconds));
    if (minutes)
        return arena_printf(arena, "%s%lldm%.*s", sign, (long long)minutes, SLICE_ARG(seconds));
    return arena_printf(arena, "%s%.*s", sign, SLICE_ARG(seconds));
}

// --- times ----------------------------------------------------------------------------------------------------------

// Days since 1970-01-01 of a date in the proleptic Gregorian calendar.
static int64_t days_of(int64_t year, int month, int day) {
    int64_t y = month <= 2 ? year - 1 : year, era = (y >= 0 ? y : y - 399) / 400;
    int64_t year_of_era = y - era * 400, day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

    return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719468;
}

// `len` digits at `at`, or -1.
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

// "Z" or "+09:00", the whole of the text.
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

ErrCode time_parse(Slice text, int64_t *ret_ns, Err *err) {
    int year = digits_at(text, 0, 4), month = digits_at(text, 5, 2), day = digits_at(text, 8, 2);
    int hour = digits_at(text, 11, 2), minute = digits_at(text, 14, 2), second = digits_at(text, 17, 2);
    int64_t fraction = 0, offset, seconds, ns, scale = 100000000;
    size_t at = 19;

    if (year < 0 || month < 1 || month > 12 || day < 1 || day > days_in_month(year, month) || hour < 0 || hour > 23 ||
        minute < 0 || minute > 59 || second < 0 || second > 60 || text.ptr[4] != '-' || text.ptr[7] != '-' ||
        (text.ptr[10] != 'T' && text.ptr[10] != 't') || text.ptr[13] != ':' || text.ptr[16] != ':')
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
    seconds = days_of(year, month, day) * 86400 + hour * 3600 + minute * 60 + second - offset;
    if (__builtin_mul_overflow(seconds, INT64_C(1000000000), &ns) || __builtin_add_overflow(ns, fraction, &ns))
        goto bad;
    *ret_ns = ns;
    return OK;
bad:
    return err_set(err, ERR_INVALID, "expected a time such as 2026-11-21T05:00:00Z, got \"%.*s\"",
                   (int)(text.len < 40 ? text.len : 40), text.ptr);
}

Slice time_print(Arena *arena, int64_t ns) {
    time_t seconds = (time_t)(ns / 1000000000 - (ns % 1000000000 < 0));
    struct tm parts;
    char text[40];

    gmtime_r(&seconds, &parts);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return arena_slice(arena, slice_of(text));
}
