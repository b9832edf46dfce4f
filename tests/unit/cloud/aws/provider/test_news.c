// Health, zonal shifts and reservations that end: upstream's areas "interruption" (instancestatus), "zonal shift" and
// "capacity reservations" (expiration). Reference aws.md 3.6, 7.8, 7.9.
#include "cloud/aws/provider/news_parts.h"
#include "cloud/support/ec2_answers.h"
#include "cloud/support/provider_world.h"

static ProviderWorld *setup(void) {
    ProviderWorld *w = provider_world("us-east-1", NULL);

    provider_listed(w, "i-1 i-2 i-3:cr-1 i-4:cr-2");
    return w;
}

FIXTURE(ProviderWorld, setup, provider_world_free);

// --- health

#define STATUSES(items, token)                                                                                         \
    "<DescribeInstanceStatusResponse><instanceStatusSet>" items "</instanceStatusSet>" token                           \
    "</DescribeInstanceStatusResponse>"
#define CHECK_FAILED(member, id, since)                                                                                \
    "<item><instanceId>" id "</instanceId><" member "><status>impaired</status><details><item><name>reachability"      \
    "</name><status>failed</status><impairedSince>" since "</impairedSince></item></details></" member "></item>"
#define EVENT(id, text)                                                                                                \
    "<item><instanceId>" id "</instanceId><eventsSet><item><code>instance-retirement</code><description>" text         \
    "</description></item></eventsSet></item>"
#define LONG_AGO "2026-11-23T07:00:00Z"
#define JUST_NOW "2026-11-23T07:59:30Z"

static void script_health(ProviderWorld *w, const char *instance, const char *system, const char *event) {
    provider_script_reply(w, (Scripted){"Filter.1.Name=instance-status.status", NULL, {.body = instance}, 0, 0});
    provider_script_reply(w, (Scripted){"Filter.1.Name=system-status.status", NULL, {.body = system}, 0, 0});
    provider_script_reply(w, (Scripted){"Filter.1.Name=event.code", NULL, {.body = event}, 0, 0});
}

#define NONE STATUSES("", "")

static ErrCode look(ProviderWorld *w, const char **ret_text) {
    CloudMessageVec messages = {0};
    ErrCode code;

    w->error = (CloudError){0};
    code = provider_health_refresh(w->provider, &w->arena, &messages, &w->error);
    *ret_text = provider_messages(w, &messages);
    return code;
}

static const char *seen(ProviderWorld *w) {
    const char *text;

    if (look(w, &text) != OK)
        fail_msg("%s", w->error.err.text);
    return text;
}

typedef struct {
    const char *name, *instance, *system, *event, *wanted;
} HealthRow;

#define AREA_HEALTH "instance status: "

static const HealthRow health_rows[] = {
    {AREA_HEALTH "nothing", NONE, NONE, NONE, ""},
    {AREA_HEALTH "a failed instance check", STATUSES(CHECK_FAILED("instanceStatus", "i-1", LONG_AGO), ""), NONE, NONE,
     "instance i-1"},
    {AREA_HEALTH "a failed system check", NONE, STATUSES(CHECK_FAILED("systemStatus", "i-2", LONG_AGO), ""), NONE,
     "host i-2"},
    {AREA_HEALTH "not for two minutes yet", STATUSES(CHECK_FAILED("instanceStatus", "i-1", JUST_NOW), ""), NONE, NONE,
     ""},
    {AREA_HEALTH "attached volumes do not count", STATUSES(CHECK_FAILED("attachedEbsStatus", "i-1", LONG_AGO), ""),
     NONE, NONE, ""},
    {AREA_HEALTH "an event counts at once", NONE, NONE, STATUSES(EVENT("i-1", "retires"), ""), "event i-1"},
    {AREA_HEALTH "an event that is over", NONE, NONE, STATUSES(EVENT("i-1", "[Completed] retired"), ""), ""},
    {AREA_HEALTH "somebody else's instance", STATUSES(CHECK_FAILED("instanceStatus", "i-9", LONG_AGO), ""), NONE,
     STATUSES(EVENT("i-8", "x"), ""), ""},
    {AREA_HEALTH "one instance in all answers", STATUSES(CHECK_FAILED("instanceStatus", "i-1", LONG_AGO), ""),
     STATUSES(CHECK_FAILED("systemStatus", "i-1", LONG_AGO), ""), STATUSES(EVENT("i-1", "x"), ""),
     "instance i-1; host i-1; event i-1"},
    {AREA_HEALTH "the same twice in an answer is once",
     STATUSES(CHECK_FAILED("instanceStatus", "i-1", LONG_AGO) CHECK_FAILED("instanceStatus", "i-1", LONG_AGO), ""),
     NONE, NONE, "instance i-1"},
    {AREA_HEALTH "two instances",
     STATUSES(CHECK_FAILED("instanceStatus", "i-2", LONG_AGO) CHECK_FAILED("instanceStatus", "i-1", LONG_AGO), ""),
     NONE, NONE, "instance i-1 i-2"},
    {AREA_HEALTH "a status without anything", STATUSES("<item/><item><instanceId>i-1</instanceId></item>", ""), NONE,
     NONE, ""},
};

static void list_health(TestCases *cases) {
    for (size_t i = 0; i < sizeof health_rows / sizeof *health_rows; i++)
        test_case(cases, health_rows[i].name, (void *)(uintptr_t)&health_rows[i]);
}

TEST_EACH(const HealthRow, row, a_look_sees_what_holds, list_health) {
    ProviderWorld *w = setup();

    script_health(w, row->instance, row->system, row->event);
    assert_string_equal(seen(w), row->wanted);
    assert_int_equal(provider_asked(w, "Action=DescribeInstanceStatus"), 3);
    assert_int_equal(provider_asked(w, "MaxResults"), 0);
    provider_world_free(w);
}

TEST_F(ProviderWorld, w, an_episode_is_new_once_and_again_after_its_end) {
    script_health(w, STATUSES(CHECK_FAILED("instanceStatus", "i-1", LONG_AGO), ""), NONE, NONE);
    assert_string_equal(seen(w), "instance i-1");
    assert_string_equal(seen(w), "instance! i-1");
    provider_script_end(w);
    script_health(w, NONE, NONE, NONE);
    assert_string_equal(seen(w), "");
    provider_script_end(w);
    script_health(w, STATUSES(CHECK_FAILED("instanceStatus", "i-1", LONG_AGO), ""), NONE, NONE);
    assert_string_equal(seen(w), "instance i-1");
}

TEST_F(ProviderWorld, w, new_and_old_episodes_are_told_apart) {
    script_health(w, STATUSES(CHECK_FAILED("instanceStatus", "i-1", LONG_AGO), ""), NONE, NONE);
    seen(w);
    provider_script_end(w);
    script_health(
        w,
        STATUSES(CHECK_FAILED("instanceStatus", "i-1", LONG_AGO) CHECK_FAILED("instanceStatus", "i-2", LONG_AGO), ""),
        NONE, NONE);
    assert_string_equal(seen(w), "instance i-2; instance! i-1");
}

TEST_F(ProviderWorld, w, all_pages_are_looked_at) {
    provider_script_reply(
        w, (Scripted){"Filter.1.Name=instance-status.status",
                      NULL,
                      {.body = STATUSES(CHECK_FAILED("instanceStatus", "i-1", LONG_AGO), "<nextToken>n</nextToken>")},
                      1,
                      0});
    script_health(w, STATUSES(CHECK_FAILED("instanceStatus", "i-2", LONG_AGO), ""), NONE, NONE);
    assert_string_equal(seen(w), "instance i-1 i-2");
}

TEST_F(ProviderWorld, w, a_look_that_fails_in_part_ends_no_episode) {
    const char *text;

    script_health(w, STATUSES(CHECK_FAILED("instanceStatus", "i-1", LONG_AGO), ""), NONE, NONE);
    seen(w);
    provider_script_end(w);
    provider_script_reply(w, (Scripted){"Filter.1.Name=system-status.status", NULL, EC2_THROTTLED, 3, 0});
    script_health(w, NONE, NONE, NONE);
    assert_int_equal(look(w, &text), ERR_THROTTLED);
    provider_script_end(w);
    script_health(w, STATUSES(CHECK_FAILED("instanceStatus", "i-1", LONG_AGO), ""), NONE, NONE);
    assert_string_equal(seen(w), "instance! i-1");
}

TEST_F(ProviderWorld, w, without_the_right_nobody_looks_until_a_restart) {
    provider_script_reply(w, (Scripted){"Action=DescribeInstanceStatus", NULL, EC2_DENIED, 0, 0});
    assert_string_equal(seen(w), "");
    assert_string_equal(seen(w), "");
    assert_int_equal(provider_asked(w, "Action=DescribeInstanceStatus"), 1);
    assert_true(provider_logged(w, "ERROR the health of instances is not watched until tenon is restarted"));
    provider_world_restart(w);
    provider_listed(w, "i-1");
    seen(w);
    assert_int_equal(provider_asked(w, "Action=DescribeInstanceStatus"), 2);
}

// --- zonal shifts

#define ASK_SHIFTS "/managedresources/"
#define SHIFT(zone, until, status)                                                                                     \
    "{\"awayFrom\": \"" zone "\", \"expiryTime\": " until ", \"appliedStatus\": \"" status "\"}"
#define SHIFTS(list) "{\"zonalShifts\": [" list "]}"
#define IN_AN_HOUR   "1795424400"
#define AN_HOUR_AGO  "1795417200"

#define ARN SLICE("arn:aws:eks:us-east-1:1:cluster/c")

static ErrCode shifts_of(ProviderWorld *w, Slice arn, const char **ret_text) {
    CloudMessageVec messages = {0};
    ErrCode code;

    w->error = (CloudError){0};
    code = news_of_zones(w->provider, &w->arena, arn, &messages, &w->error);
    *ret_text = provider_messages(w, &messages);
    return code;
}

static const char *shifts(ProviderWorld *w) {
    const char *text;

    if (shifts_of(w, ARN, &text) != OK)
        fail_msg("%s", w->error.err.text);
    return text;
}

static void script_shifts(ProviderWorld *w, const char *answer) {
    provider_script_end(w);
    provider_script(w, ASK_SHIFTS, answer);
}

typedef struct {
    const char *name, *answer, *wanted, *offers;
} ShiftRow;

#define AREA_SHIFT "zonal shift: "
#define OPEN       "spot:a+b+c+d-e-f- on-demand:a+b+c+d-e-f-"
#define LEFT       "spot:a-b+c+d-e-f- on-demand:a-b+c+d-e-f-"

static const ShiftRow shift_rows[] = {
    {AREA_SHIFT "none", "{}", "", OPEN},
    {AREA_SHIFT "applied", SHIFTS(SHIFT("use1-az1", IN_AN_HOUR, "APPLIED")), "left us-east-1a", LEFT},
    {AREA_SHIFT "not applied", SHIFTS(SHIFT("use1-az1", IN_AN_HOUR, "NOT_APPLIED")), "", OPEN},
    {AREA_SHIFT "over", SHIFTS(SHIFT("use1-az1", AN_HOUR_AGO, "APPLIED")), "", OPEN},
    {AREA_SHIFT "twice", SHIFTS(SHIFT("use1-az1", IN_AN_HOUR, "APPLIED") "," SHIFT("use1-az1", AN_HOUR_AGO, "APPLIED")),
     "left us-east-1a", LEFT},
    {AREA_SHIFT "two zones",
     SHIFTS(SHIFT("use1-az2", IN_AN_HOUR, "APPLIED") "," SHIFT("use1-az1", IN_AN_HOUR, "APPLIED")),
     "left us-east-1a; left us-east-1b", "spot:a-b-c+d-e-f- on-demand:a-b-c+d-e-f-"},
    {AREA_SHIFT "begun by AWS itself",
     "{\"autoshifts\": [{\"awayFrom\": \"use1-az1\", \"appliedStatus\": \"APPLIED\"}]}", "left us-east-1a", LEFT},
    {AREA_SHIFT "of a zone that no class has a subnet in", SHIFTS(SHIFT("use1-az6", IN_AN_HOUR, "APPLIED")), "", OPEN},
    {AREA_SHIFT "without a zone", SHIFTS("{\"appliedStatus\": \"APPLIED\", \"expiryTime\": " IN_AN_HOUR "}"), "", OPEN},
};

static void list_shifts(TestCases *cases) {
    for (size_t i = 0; i < sizeof shift_rows / sizeof *shift_rows; i++)
        test_case(cases, shift_rows[i].name, (void *)(uintptr_t)&shift_rows[i]);
}

TEST_EACH(const ShiftRow, row, a_shift_is_told_and_applied, list_shifts) {
    ProviderWorld *w = setup();

    provider_class(w, "default", "");
    script_shifts(w, row->answer);
    assert_string_equal(shifts(w), row->wanted);
    assert_string_equal(provider_offers(w, "default", "m5.large"), row->offers);
    provider_world_free(w);
}

TEST_F(ProviderWorld, w, a_shift_is_told_again_until_it_ends) {
    provider_class(w, "default", "");
    script_shifts(w, SHIFTS(SHIFT("use1-az1", IN_AN_HOUR, "APPLIED")));
    assert_string_equal(shifts(w), "left us-east-1a");
    assert_string_equal(shifts(w), "left! us-east-1a");
    assert_true(provider_zone_is_left(w->provider, SLICE("us-east-1a")));
    script_shifts(w, "{}");
    assert_string_equal(shifts(w), "back us-east-1a");
    assert_false(provider_zone_is_left(w->provider, SLICE("us-east-1a")));
    assert_string_equal(shifts(w), "");
}

TEST_F(ProviderWorld, w, a_cancelled_shift_ends_while_another_goes_on) {
    provider_class(w, "default", "");
    script_shifts(w, SHIFTS(SHIFT("use1-az1", IN_AN_HOUR, "APPLIED") "," SHIFT("use1-az2", IN_AN_HOUR, "APPLIED")));
    shifts(w);
    script_shifts(w, SHIFTS(SHIFT("use1-az2", IN_AN_HOUR, "APPLIED")));
    assert_string_equal(shifts(w), "back us-east-1a; left! us-east-1b");
}

TEST_F(ProviderWorld, w, a_failure_keeps_the_shift_until_its_end) {
    const char *text;

    provider_class(w, "default", "");
    script_shifts(w, SHIFTS(SHIFT("use1-az1", IN_AN_HOUR, "APPLIED")));
    shifts(w);
    provider_script_end(w);
    provider_script_reply(w, (Scripted){ASK_SHIFTS, NULL, {.code = ERR_IO}, 0, 0});
    assert_int_equal(shifts_of(w, ARN, &text), ERR_IO);
    assert_string_equal(provider_offers(w, "default", "m5.large"), LEFT);
    memory_pass(w->memory, NS_PER_HOUR);
    assert_int_equal(shifts_of(w, ARN, &text), ERR_IO);
    assert_string_equal(provider_offers(w, "default", "m5.large"), OPEN);
    script_shifts(w, "{}");
    assert_string_equal(shifts(w), "back us-east-1a");
}

TEST_F(ProviderWorld, w, a_zone_is_told_once_its_name_is_known) {
    script_shifts(w, SHIFTS(SHIFT("use1-az1", IN_AN_HOUR, "APPLIED")));
    assert_string_equal(shifts(w), "");
    provider_class(w, "default", "");
    assert_string_equal(provider_offers(w, "default", "m5.large"), LEFT);
    assert_string_equal(shifts(w), "left us-east-1a");
    provider_types_class_changed(w->provider, SLICE("default"), NULL);
    assert_string_equal(shifts(w), "left! us-east-1a");
    script_shifts(w, "{}");
    assert_string_equal(shifts(w), "back us-east-1a");
}

// A failure, and what its message tells to do.
typedef struct {
    const char *name;
    MemoryReply reply;
    ErrCode code;
    const char *text;
} ShiftFailure;

#define ARC_FAULT(code) "{\"__type\": \"" code "\", \"message\": \"m\"}"

static const ShiftFailure shift_failures[] = {
    {AREA_SHIFT "it is not turned on for the cluster",
     {.status = 404, .body = ARC_FAULT("ResourceNotFoundException")},
     ERR_IO,
     "aws eks update-cluster-config --name c --zonal-shift-config enabled=true"},
    {AREA_SHIFT "the right is missing",
     {.status = 403, .body = ARC_FAULT("AccessDeniedException")},
     ERR_DENIED,
     "arc-zonal-shift:GetManagedResource"},
    {AREA_SHIFT "throttled",
     {.status = 429, .body = ARC_FAULT("ThrottlingException")},
     ERR_THROTTLED,
     "cannot ask for zonal shifts"},
    {AREA_SHIFT "an answer that is none", {.body = "[]"}, ERR_INVALID, "cannot ask for zonal shifts"},
};

static void list_shift_failures(TestCases *cases) {
    for (size_t i = 0; i < sizeof shift_failures / sizeof *shift_failures; i++)
        test_case(cases, shift_failures[i].name, (void *)(uintptr_t)&shift_failures[i]);
}

TEST_EACH(const ShiftFailure, row, a_failure_says_what_to_do, list_shift_failures) {
    ProviderWorld *w = setup();
    const char *text;

    provider_script_reply(w, (Scripted){ASK_SHIFTS, NULL, row->reply, 0, 0});
    assert_int_equal(shifts_of(w, ARN, &text), row->code);
    assert_non_null(strstr(w->error.err.text, row->text));
    provider_world_free(w);
}

TEST_F(ProviderWorld, w, a_cluster_without_an_arn_is_an_error_to_retry) {
    const char *text;

    assert_int_equal(shifts_of(w, SLICE(""), &text), ERR_IO);
    assert_non_null(strstr(w->error.err.text, "ARN of cluster \"c\" is not known yet"));
    assert_int_equal(provider_asked(w, ASK_SHIFTS), 0);
}

// --- reservations

#define BLOCK(id, type, state, end)                                                                                    \
    "  - {id: " id ", availabilityZone: us-east-1a, instanceType: m5.large, ownerID: \"1\", reservationType: " type    \
    ", state: " state ", instanceMatchCriteria: targeted" end "}\n"
#define RESERVATIONS(list)                                                                                             \
    "status:\n  subnets: [{id: s, zone: us-east-1a, zoneID: use1-az1}]\n  capacityReservations:\n" list

typedef struct {
    const char *name, *reservations, *wanted;
} EndRow;

#define AREA_END "capacity reservations: expiration: "

static const EndRow end_rows[] = {
    {AREA_END "none ends", RESERVATIONS(BLOCK("cr-1", "default", "active", "")), ""},
    {AREA_END "a block that was near its end when it was described",
     RESERVATIONS(BLOCK("cr-1", "capacity-block", "expiring", "")), "ending i-3"},
    {AREA_END "a block that has 41 minutes",
     RESERVATIONS(BLOCK("cr-1", "capacity-block", "active", ", endTime: \"2026-11-23T08:41:00Z\"")), ""},
    {AREA_END "a block that has 40 minutes, before it is described again",
     RESERVATIONS(BLOCK("cr-1", "capacity-block", "active", ", endTime: \"2026-11-23T08:40:00Z\"")), "ending i-3"},
    {AREA_END "an ordinary reservation is never expiring",
     RESERVATIONS(BLOCK("cr-1", "default", "active", ", endTime: \"2026-11-23T08:01:00Z\"")), ""},
    {AREA_END "two blocks",
     RESERVATIONS(BLOCK("cr-1", "capacity-block", "expiring", "") BLOCK("cr-2", "capacity-block", "expiring", "")),
     "ending i-3 i-4"},
    {AREA_END "a block without instances", RESERVATIONS(BLOCK("cr-9", "capacity-block", "expiring", "")), ""},
};

static void list_ends(TestCases *cases) {
    for (size_t i = 0; i < sizeof end_rows / sizeof *end_rows; i++)
        test_case(cases, end_rows[i].name, (void *)(uintptr_t)&end_rows[i]);
}

static const char *ends(ProviderWorld *w) {
    CloudMessageVec messages = {0};

    assert_int_equal(provider_reservations_refresh(w->provider, &w->arena, &messages, &w->error), OK);
    return provider_messages(w, &messages);
}

TEST_EACH(const EndRow, row, instances_of_ending_blocks_are_told, list_ends) {
    ProviderWorld *w = setup();

    provider_class(w, "default", row->reservations);
    provider_class(w, "twin", row->reservations);
    assert_string_equal(ends(w), row->wanted);
    assert_int_equal(w->memory->sent.count, 0);
    provider_world_free(w);
}

TEST_F(ProviderWorld, w, an_end_is_told_again_as_long_as_the_instance_is_there) {
    provider_class(w, "default", RESERVATIONS(BLOCK("cr-1", "capacity-block", "expiring", "")));
    assert_string_equal(ends(w), "ending i-3");
    assert_string_equal(ends(w), "ending! i-3");
    provider_listed(w, "i-3:cr-1 i-5:cr-1");
    assert_string_equal(ends(w), "ending i-5; ending! i-3");
    provider_listed(w, "i-1");
    assert_string_equal(ends(w), "");
}
