// CronSchedule: cron schedules of Kubernetes objects, five fields, in UTC. Reference lifecycle.md 4.4.
#pragma once

#include "base/err.h"
#include "base/slice.h"

// The allowed values of each field as bit sets, bit i for value i. A plain value without memory of its own.
typedef struct {
    uint64_t minutes;
    uint32_t hours, days, months, weekdays; // days from 1, months from 1 (January), weekdays from 0 (Sunday)
    bool every_day, every_weekday;          // the field was "*": the other day field alone decides
} CronSchedule;

// Parses "0 9 * * mon-fri", "*/15 * * * *", "@daily": minute, hour, day of the month, month, day of the week; each is a
// list of values, ranges and steps; months and weekdays also by the first three letters of their names; or one of
// @yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly. As in robfig/cron, which Karpenter uses: 7 is not
// Sunday, "?" is "*". ERR_INVALID. O(length).
ErrCode cron_parse(Slice text, CronSchedule *ret_schedule, Err *err);

// The first time of the schedule after `after_ns`, a whole minute in nanoseconds since 1970. INT64_MAX: none within
// five years ("0 0 30 2 *"). O(days until then).
int64_t cron_next(const CronSchedule *schedule, int64_t after_ns);
