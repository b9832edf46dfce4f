// Cron schedules, against vectors of the parser that Karpenter uses.
#include "base/time.h"
#include "harness/test.h"
#include "text/cron.h"

#include "cron_vectors.h"

TEST(the_next_time_is_that_of_robfig_cron) {
    for (size_t i = 0; i < sizeof cron_vectors / sizeof *cron_vectors; i++) {
        CronSchedule schedule = {0};
        Err err = {0};
        int64_t expected = cron_vectors[i].next_s < 0 ? INT64_MAX : cron_vectors[i].next_s * NS_PER_S, next;

        if (cron_parse(slice_of(cron_vectors[i].schedule), &schedule, &err) != OK)
            fail_msg("\"%s\": %s", cron_vectors[i].schedule, err.text);
        next = cron_next(&schedule, cron_vectors[i].after_ns);
        if (next != expected)
            fail_msg("\"%s\" after %lld: expected %lld, got %lld", cron_vectors[i].schedule,
                     (long long)cron_vectors[i].after_ns, (long long)expected, (long long)next);
    }
}

TEST(what_robfig_cron_refuses_is_refused_and_quoted) {
    for (size_t i = 0; i < sizeof bad_crons / sizeof *bad_crons; i++) {
        CronSchedule schedule = {0};
        Err err = {0};

        if (cron_parse(slice_of(bad_crons[i]), &schedule, &err) != ERR_INVALID || !strstr(err.text, "expected"))
            fail_msg("\"%s\" was taken (%s)", bad_crons[i], err.text);
    }
}

static const char *complaint(const char *text) {
    static Err err;
    CronSchedule schedule;

    assert_int_equal(cron_parse(slice_of(text), &schedule, &err), ERR_INVALID);
    return err.text;
}

TEST(a_complaint_names_the_field_and_its_values) {
    assert_string_equal(complaint("60 * * * *"), "expected a minute from 0 to 59, got \"60\"");
    assert_string_equal(complaint("* * * * funday"), "expected a day of the week from 0 to 6, got \"funday\"");
    assert_string_equal(complaint("@reboot"),
                        "expected five fields such as \"0 9 * * mon-fri\", or @daily, got \"@reboot\"");
    assert_string_equal(complaint("*-5 * * * *"), "expected a minute from 0 to 59, got \"*-5\"");
    assert_string_equal(complaint("+5 * * * *"), "expected a minute from 0 to 59, got \"+5\"");
}

TEST(the_time_itself_is_not_after_it) {
    CronSchedule hourly;

    assert_int_equal(cron_parse(SLICE("@hourly"), &hourly, NULL), OK);
    assert_int_equal(cron_next(&hourly, 0), NS_PER_HOUR);
    assert_int_equal(cron_next(&hourly, -1), 0);
    assert_int_equal(cron_next(&hourly, NS_PER_HOUR - 1), NS_PER_HOUR);
    assert_int_equal(cron_next(&hourly, -NS_PER_HOUR), 0);
}

TEST(the_end_of_time_has_no_next) {
    CronSchedule daily;

    assert_int_equal(cron_parse(SLICE("@daily"), &daily, NULL), OK);
    assert_int_equal(cron_next(&daily, INT64_MAX), INT64_MAX);
    assert_true(cron_next(&daily, INT64_MIN) < 0);
}
