// Cron schedules: parsing five fields to bit sets, and finding the next time that matches all of them.
#include "text/cron.h"

#include "base/time.h"
#include "text/quote.h"

#include <strings.h>
#include <time.h>

enum { DAYS_AHEAD_MAX = 5 * 366, FIELD_COUNT = 5 };

typedef struct {
    const char *what;
    uint32_t first, last;
    const char *const *names; // names of the values from `first` on, three letters each; NULL: none
} Field;

static const char *const month_names[] = {"jan", "feb", "mar", "apr", "may", "jun",
                                          "jul", "aug", "sep", "oct", "nov", "dec"};
static const char *const weekday_names[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

static const Field fields[FIELD_COUNT] = {{"minute", 0, 59, NULL},
                                          {"hour", 0, 23, NULL},
                                          {"day of the month", 1, 31, NULL},
                                          {"month", 1, 12, month_names},
                                          {"day of the week", 0, 6, weekday_names}};

static const struct {
    Slice name, meaning;
} descriptors[] = {
    {SLICE_INIT("@yearly"), SLICE_INIT("0 0 1 1 *")},  {SLICE_INIT("@annually"), SLICE_INIT("0 0 1 1 *")},
    {SLICE_INIT("@monthly"), SLICE_INIT("0 0 1 * *")}, {SLICE_INIT("@weekly"), SLICE_INIT("0 0 * * 0")},
    {SLICE_INIT("@daily"), SLICE_INIT("0 0 * * *")},   {SLICE_INIT("@midnight"), SLICE_INIT("0 0 * * *")},
    {SLICE_INIT("@hourly"), SLICE_INIT("0 * * * *")},
};

// --- parsing

// Removes the text up to and including the first `separator` from *rest and returns it without the separator.
static Slice take_until(Slice *rest, char separator) {
    const char *end = rest->len ? memchr(rest->ptr, separator, rest->len) : NULL;
    Slice part = end ? slice_first(*rest, (size_t)(end - rest->ptr)) : *rest;

    *rest = slice_from(*rest, part.len + (end ? 1 : 0));
    return part;
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

static Slice take_word(Slice *rest) {
    size_t start = 0, end;

    while (start < rest->len && is_blank(rest->ptr[start]))
        start++;
    for (end = start; end < rest->len && !is_blank(rest->ptr[end]);)
        end++;
    *rest = (Slice){rest->ptr + end, rest->len - end};
    return (Slice){rest->ptr - (end - start), end - start};
}

static bool read_number(Slice text, uint32_t *ret_number) {
    uint32_t number = 0;

    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9' || number > 1000)
            return false;
        number = number * 10 + (uint32_t)(text.ptr[i] - '0');
    }
    *ret_number = number;
    return text.len;
}

static bool read_value(const Field *field, Slice text, uint32_t *ret_value) {
    for (uint32_t i = 0; field->names && text.len == 3 && i <= field->last - field->first; i++) {
        if (strncasecmp(text.ptr, field->names[i], 3) == 0) {
            *ret_value = field->first + i;
            return true;
        }
    }
    return read_number(text, ret_value);
}

static bool is_star(Slice text) {
    return slice_eq(text, SLICE("*")) || slice_eq(text, SLICE("?"));
}

// Parses "*", "5" or "1-5". A single value with a step ("5/2") extends to the field's last value.
static bool read_bounds(const Field *field, Slice range, bool has_step, uint32_t *ret_first, uint32_t *ret_last) {
    Slice last_text = range, first_text = take_until(&last_text, '-');
    bool is_lone = first_text.len == range.len;

    *ret_first = field->first;
    *ret_last = field->last;
    if (is_star(range))
        return true;
    if (!read_value(field, first_text, ret_first) || (!is_lone && !read_value(field, last_text, ret_last)))
        return false;
    if (is_lone && !has_step)
        *ret_last = *ret_first;
    return *ret_first >= field->first && *ret_last <= field->last && *ret_first <= *ret_last;
}

// Parses a range, with or without a step "/2".
static bool read_range(const Field *field, Slice text, uint64_t *bits, bool *star) {
    Slice step_text = text, range = take_until(&step_text, '/');
    bool has_step = range.len < text.len;
    uint32_t first, last, step = 1;

    if (has_step && (!read_number(step_text, &step) || !step))
        return false;
    if (!read_bounds(field, range, has_step, &first, &last))
        return false;
    *star |= is_star(range) && step == 1;
    for (uint32_t value = first; value <= last; value += step)
        *bits |= UINT64_C(1) << value;
    return true;
}

// Parses a list of ranges; empty ones between commas are ignored.
static bool read_field(const Field *field, Slice text, uint64_t *ret_bits, bool *ret_star) {
    *ret_bits = 0;
    *ret_star = false;
    while (text.len) {
        Slice range = take_until(&text, ',');

        if (range.len && !read_range(field, range, ret_bits, ret_star))
            return false;
    }
    return *ret_bits;
}

static Slice expand_descriptor(Slice text) {
    for (size_t i = 0; i < sizeof descriptors / sizeof *descriptors; i++) {
        if (slice_eq(text, descriptors[i].name))
            return descriptors[i].meaning;
    }
    return text;
}

// The fields of a text that has as many as it should.
static bool split(Slice text, Slice *ret_words) {
    for (uint32_t i = 0; i < FIELD_COUNT; i++)
        ret_words[i] = take_word(&text);
    return ret_words[FIELD_COUNT - 1].len && !take_word(&text).len;
}

ErrCode cron_parse(Slice text, CronSchedule *ret_schedule, Err *err) {
    Slice words[FIELD_COUNT];
    uint64_t bits[FIELD_COUNT];
    bool stars[FIELD_COUNT];

    if (!split(expand_descriptor(text), words))
        return err_set(err, ERR_INVALID, "expected five fields such as \"0 9 * * mon-fri\", or @daily, got %s",
                       quote(text).text);
    for (uint32_t i = 0; i < FIELD_COUNT; i++) {
        if (!read_field(&fields[i], words[i], &bits[i], &stars[i]))
            return err_set(err, ERR_INVALID, "expected a %s from %u to %u, got %s", fields[i].what, fields[i].first,
                           fields[i].last, quote(words[i]).text);
    }
    *ret_schedule = (CronSchedule){.minutes = bits[0],
                                   .hours = (uint32_t)bits[1],
                                   .days = (uint32_t)bits[2],
                                   .months = (uint32_t)bits[3],
                                   .weekdays = (uint32_t)bits[4],
                                   .every_day = stars[2],
                                   .every_weekday = stars[4]};
    return OK;
}

// --- the next time

// Whether the day matches. If both day fields are restricted, either one suffices.
static bool has_day(const CronSchedule *schedule, const struct tm *day) {
    bool in_month = schedule->days >> day->tm_mday & 1, in_week = schedule->weekdays >> day->tm_wday & 1;

    if (!(schedule->months >> (day->tm_mon + 1) & 1))
        return false;
    return schedule->every_day || schedule->every_weekday ? in_month && in_week : in_month || in_week;
}

// The first matching minute of the day from `minute` on; -1: none.
static int next_minute(const CronSchedule *schedule, int minute) {
    for (int hour = minute / 60; hour < 24; hour++) {
        uint64_t left = schedule->hours >> hour & 1 ? schedule->minutes : 0;

        if (hour == minute / 60)
            left &= UINT64_MAX << minute % 60;
        if (left)
            return hour * 60 + __builtin_ctzll(left);
    }
    return -1;
}

int64_t cron_next(const CronSchedule *schedule, int64_t after_ns) {
    int64_t minutes = after_ns / NS_PER_MIN - (after_ns % NS_PER_MIN < 0) + 1; // the first candidate
    int64_t day = minutes / 1440 - (minutes % 1440 < 0);
    int from = (int)(minutes - day * 1440);

    for (int i = 0; i <= DAYS_AHEAD_MAX; i++, day++, from = 0) {
        time_t seconds = day * 86400;
        struct tm parts;
        int minute;

        gmtime_r(&seconds, &parts);
        minute = has_day(schedule, &parts) ? next_minute(schedule, from) : -1;
        if (minute >= 0 && day < INT64_MAX / NS_PER_DAY)
            return (day * 1440 + minute) * NS_PER_MIN;
    }
    return INT64_MAX;
}
