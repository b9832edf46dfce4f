// Health of instances: upstream's area "interruption" (pkg/controllers/interruption/instancestatus). Reference
// aws.md 7.8.
#include "base/time.h"
#include "cloud/aws/events/health.h"
#include "harness/test.h"
#include "model/names.h"

#include <stdlib.h>

#define NOW     (INT64_C(1795420800) * NS_PER_S)
#define UNKNOWN INT32_MIN // since when: EC2 does not say

typedef struct {
    Arena arena;
    Symbols symbols;
    CloudInstanceVec instances;
    KnownInstances known;
    HealthWatch watch;
    Ec2InstanceStatusVec statuses; // of the next look
} World;

// i-0a and i-0b are of the cluster.
static World *world_setup(void) {
    World *world = calloc(1, sizeof *world);

    names_init(&world->symbols);
    vec_add(&world->arena, &world->instances)->provider_id =
        symbol_intern(&world->symbols, SLICE("aws:///us-west-2a/i-0a"));
    vec_add(&world->arena, &world->instances)->provider_id =
        symbol_intern(&world->symbols, SLICE("aws:///us-west-2a/i-0b"));
    world->known = known_instances(&world->arena, &world->symbols, &world->instances);
    return world;
}

static void world_teardown(World *world) {
    health_watch_free(&world->watch);
    arena_free(&world->arena);
    symbols_free(&world->symbols);
    free(world);
}

FIXTURE(World, world_setup, world_teardown);

static const Ec2StatusSummary *summary(World *world, const char *status, int32_t since_s) {
    Ec2StatusSummary *made = arena_new(&world->arena, Ec2StatusSummary);
    Ec2StatusDetail *detail = vec_add(&world->arena, &made->details);

    made->status = SLICE("impaired");
    detail->name = SLICE("reachability");
    detail->status = slice_of(status);
    if (since_s != UNKNOWN)
        detail->impaired_since = aws_time(NOW + since_s * NS_PER_S);
    return made;
}

static Ec2InstanceStatus *add_status(World *world, const char *id) {
    Ec2InstanceStatus *status = vec_add(&world->arena, &world->statuses);

    status->instance_id = slice_of(id);
    return status;
}

static void add_event(World *world, Ec2InstanceStatus *status, const char *description) {
    vec_push(&world->arena, &status->events,
             (Ec2StatusEvent){.code = SLICE("system-maintenance"), .description = slice_of(description)});
}

// "id category[!]", with a space behind each; '!': a new episode. Forgets the statuses.
static const char *look(World *world, int32_t at_s) {
    HealthFactVec facts =
        health_watch_look(&world->watch, &world->arena, &world->known, &world->statuses, NOW + at_s * NS_PER_S);
    Slice all = SLICE("");

    for (vec_each(const HealthFact, fact, &facts)) {
        Slice provider_id = symbol_text(&world->symbols, fact->provider_id);

        assert_true(slice_ends_with(provider_id, fact->instance_id) && fact->instance_id.len);
        all = arena_printf(&world->arena, "%.*s%.*s %s%s ", SLICE_ARG(all), SLICE_ARG(fact->instance_id),
                           health_category_text(fact->category), fact->is_new ? "!" : "");
    }
    world->statuses = (Ec2InstanceStatusVec){0};
    return arena_text(&world->arena, all);
}

typedef struct {
    const char *name, *id;
    const char *instance, *system, *volumes; // status of a check; NULL: none
    int32_t since_s;                         // of all of them, from now
    const char *event;                       // its description; NULL: none
    const char *wanted;
} Row;

static const Row rows[] = {
    {"interruption: a healthy instance", "i-0a", "passed", "passed", NULL, UNKNOWN, NULL, ""},
    {"interruption: a failed instance check of two minutes", "i-0a", "failed", NULL, NULL, -120, NULL,
     "i-0a instance_status! "},
    {"interruption: a failed instance check of less", "i-0a", "failed", NULL, NULL, -119, NULL, ""},
    {"interruption: a failed system check of two minutes", "i-0a", NULL, "failed", NULL, -120, NULL,
     "i-0a system_status! "},
    {"interruption: a failed system check of less", "i-0a", NULL, "failed", NULL, -119, NULL, ""},
    {"interruption: a failed check of an hour", "i-0a", "failed", NULL, NULL, -3600, NULL, "i-0a instance_status! "},
    {"interruption: a check that fails in the future", "i-0a", "failed", NULL, NULL, 600, NULL, ""},
    {"interruption: both checks", "i-0a", "failed", "failed", NULL, -300, NULL,
     "i-0a instance_status! i-0a system_status! "},
    {"interruption: attached volumes do not count", "i-0a", NULL, NULL, "failed", -300, NULL, ""},
    {"interruption: a check without data", "i-0a", "insufficient-data", NULL, NULL, -300, NULL, ""},
    {"interruption: a check that begins", "i-0a", "initializing", NULL, NULL, -300, NULL, ""},
    {"interruption: a failed check, nobody says since when", "i-0a", "failed", NULL, NULL, UNKNOWN, NULL, ""},
    {"interruption: a scheduled event acts at once", "i-0a", NULL, NULL, NULL, UNKNOWN, "The host retires",
     "i-0a event_status! "},
    {"interruption: a scheduled event without a description", "i-0a", NULL, NULL, NULL, UNKNOWN, "",
     "i-0a event_status! "},
    {"interruption: an event that is over", "i-0a", NULL, NULL, NULL, UNKNOWN, "[Completed] The host retires", ""},
    {"interruption: an event that was called off", "i-0a", NULL, NULL, NULL, UNKNOWN, "[Canceled] The host retires",
     ""},
    {"interruption: an event beside a young failure", "i-0a", "failed", NULL, NULL, -10, "The host retires",
     "i-0a event_status! "},
    {"interruption: everything at once", "i-0b", "failed", "failed", "failed", -120, "The host retires",
     "i-0b instance_status! i-0b system_status! i-0b event_status! "},
    {"interruption: an answer without an id", NULL, "failed", "failed", NULL, -300, "The host retires", ""},
    {"interruption: an instance of somebody else", "i-0f", "failed", "failed", NULL, -300, "The host retires", ""},
};

static void list_rows(TestCases *cases) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].name, (void *)(uintptr_t)&rows[i]);
}

TEST_EACH(const Row, row, a_status_tells_what_is_wrong, list_rows) {
    World *world = world_setup();
    Ec2InstanceStatus *status = add_status(world, row->id);

    status->instance_status = row->instance ? summary(world, row->instance, row->since_s) : NULL;
    status->system_status = row->system ? summary(world, row->system, row->since_s) : NULL;
    status->attached_ebs_status = row->volumes ? summary(world, row->volumes, row->since_s) : NULL;
    if (row->event)
        add_event(world, status, row->event);
    assert_string_equal(look(world, 0), row->wanted);
    world_teardown(world);
}

TEST_F(World, world, an_episode_is_new_once) {
    for (int32_t at_s = 60; at_s < 400; at_s += 60) {
        add_status(world, "i-0a")->instance_status = summary(world, "failed", 0);
        assert_string_equal(look(world, at_s), at_s < 120    ? ""
                                               : at_s == 120 ? "i-0a instance_status! "
                                                             : "i-0a instance_status ");
    }
    assert_string_equal(look(world, 460), "");
    add_status(world, "i-0a")->instance_status = summary(world, "failed", 500);
    assert_string_equal(look(world, 520), "");
    add_status(world, "i-0a")->instance_status = summary(world, "failed", 500);
    assert_string_equal(look(world, 640), "i-0a instance_status! ");
}

TEST_F(World, world, an_episode_of_each_category_and_instance) {
    add_event(world, add_status(world, "i-0b"), "");
    assert_string_equal(look(world, 0), "i-0b event_status! ");
    add_event(world, add_status(world, "i-0b"), "");
    add_event(world, add_status(world, "i-0a"), "");
    add_status(world, "i-0b")->system_status = summary(world, "failed", -300);
    assert_string_equal(look(world, 60), "i-0a event_status! i-0b system_status! i-0b event_status ");
    add_event(world, add_status(world, "i-0a"), "");
    assert_string_equal(look(world, 120), "i-0a event_status ");
}

TEST_F(World, world, the_answers_of_three_requests_are_one_look) {
    for (int i = 0; i < 3; i++) {
        Ec2InstanceStatus *status = add_status(world, "i-0a");

        status->instance_status = summary(world, "failed", -130 + 20 * i);
        add_event(world, status, "");
        add_event(world, status, "another one");
    }
    assert_string_equal(look(world, 0), "i-0a instance_status! i-0a event_status! ");
}

TEST_F(World, world, a_failure_of_unknown_age_counts_two_minutes_after_it_was_first_seen) {
    for (int32_t at_s = 0; at_s <= 180; at_s += 60) {
        add_status(world, "i-0a")->system_status = summary(world, "failed", UNKNOWN);
        assert_string_equal(look(world, at_s), at_s < 120    ? ""
                                               : at_s == 120 ? "i-0a system_status! "
                                                             : "i-0a system_status ");
    }
}

TEST_F(World, world, three_requests_find_what_is_wrong) {
    static const char *const wanted[] = {
        "instance-status.status=impaired,", "system-status.status=impaired,",
        "event.code=instance-reboot,system-reboot,system-maintenance,instance-retirement,instance-stop,"};
    HealthQueryVec queries = health_queries(&world->arena);

    assert_int_equal(queries.count, 3);
    for (uint32_t i = 0; i < queries.count; i++) {
        const Ec2DescribeInstanceStatusInput *query = &queries.items[i];
        Slice text;

        assert_int_equal(query->filters.count, 1);
        assert_false(query->max_results.has || query->instance_ids.count);
        text = arena_printf(&world->arena, "%.*s=", SLICE_ARG(query->filters.items[0].name));
        for (vec_each(const Slice, value, &query->filters.items[0].values))
            text = arena_printf(&world->arena, "%.*s%.*s,", SLICE_ARG(text), SLICE_ARG(*value));
        assert_string_equal(arena_text(&world->arena, text), wanted[i]);
    }
}

TEST(checks_are_forceful_and_events_are_not) {
    assert_true(health_category_is_forceful(HEALTH_INSTANCE));
    assert_true(health_category_is_forceful(HEALTH_SYSTEM));
    assert_false(health_category_is_forceful(HEALTH_EVENT));
}
