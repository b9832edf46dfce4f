// Cron schedules as Kubernetes objects write them: five fields, always in UTC. Reference lifecycle.md 4.4.
#pragma once

#include "base/err.h"
#include "base/slice.h"

// Bit i stands for the value i of the field. A plain value: copied as it is, owns nothing.
typedef struct {
    uint64_t minutes;
    uint32_t hours, days, months, weekdays; // days from 1, months from 1 (January), weekdays from 0 (Sunday)
    bool every_day, every_weekday;          // the field was "*": then only the other one decides
} CronSchedule;

// "0 9 * * mon-fri", "*/15 * * * *", "@daily": minute, hour, day of the month, month, day of the week, each a list of
// values, ranges and steps, months and weekdays also by the first three letters of their names; or one of @yearly,
// @annually, @monthly, @weekly, @daily, @midnight, @hourly. As robfig/cron reads it, which Karpenter uses: 7 is no
// Sunday,
// "?" is "*". ERR_INVALID. O(length).
ErrCode cron_parse(Slice text, CronSchedule *ret_schedule, Err *err);

// The first time of the schedule after `after_ns`, in nanoseconds since 1970, a whole minute. INT64_MAX: none within
// five years ("0 0 30 2 *"). O(days until then).
int64_t cron_next(const CronSchedule *schedule, int64_t after_ns);
