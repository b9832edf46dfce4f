// Lists of instance types as they are now: upstream's areas "instance types" (pkg/providers/instancetype), "cloud
// provider" (unavailable offerings) and "capacity reservations". Reference aws.md 2.6, 3.6, 4.4; corrections of 1.15.
#include "cloud/aws/launch/trouble.h"
#include "cloud/support/provider_world.h"

static ProviderWorld *setup(void) {
    return provider_world("us-east-1", NULL);
}

FIXTURE(ProviderWorld, setup, provider_world_free);

#define ALL "spot:a+b+c+d-e-f- on-demand:a+b+c+d-e-f-"
#define BLOCK                                                                                                          \
    "status:\n  subnets:\n  - {id: subnet-a, zone: us-east-1a, zoneID: use1-az1}\n"                                    \
    "  - {id: subnet-b, zone: us-east-1b, zoneID: use1-az2}\n"                                                         \
    "  capacityReservations:\n  - {id: cr-1, availabilityZone: us-east-1a, instanceType: m5.large, "                   \
    "ownerID: \"1\", reservationType: default, state: active, instanceMatchCriteria: targeted}\n"

// What happens to the market; words between spaces:
//   ct/type/zone      an offering is marked          all/ct, subnet/id, reservation/id   likewise
//   group/ct/type/zone/id   within a placement group
//   +SECONDS          time passes                    left/id[,id]     zones are left; "left/": none
//   room/NUMBER       EC2 describes cr-1 with that room   expiring    near its end
//   launched, full, gone/INSTANCE   of cr-1
typedef struct {
    const char *name, *steps, *wanted; // of m5.large
} Row;

#define AREA_ICE   "cloud provider: unavailable offerings: "
#define AREA_ZONE  "zonal shift: offerings: "
#define AREA_BLOCK "capacity reservations: availability: "

static const Row rows[] = {
    {AREA_ICE "nothing is marked", "", ALL},
    {AREA_ICE "an offering", "spot/m5.large/us-east-1a", "spot:a-b+c+d-e-f- on-demand:a+b+c+d-e-f-"},
    {AREA_ICE "of another type", "spot/m5.xlarge/us-east-1a", ALL},
    {AREA_ICE "two offerings", "spot/m5.large/us-east-1a on-demand/m5.large/us-east-1c",
     "spot:a-b+c+d-e-f- on-demand:a+b+c-d-e-f-"},
    {AREA_ICE "a capacity type", "all/spot", "spot:a-b-c-d-e-f- on-demand:a+b+c+d-e-f-"},
    {AREA_ICE "a subnet that is its zone's only one", "subnet/subnet-b", "spot:a+b-c+d-e-f- on-demand:a+b-c+d-e-f-"},
    {AREA_ICE "a subnet of another class", "subnet/subnet-x", ALL},
    {AREA_ICE "a placement group's mark holds for the group alone", "group/spot/m5.large/us-east-1a/pg-1", ALL},
    {AREA_ICE "just before the end of the mark", "spot/m5.large/us-east-1a +179",
     "spot:a-b+c+d-e-f- on-demand:a+b+c+d-e-f-"},
    {AREA_ICE "at the end of the mark", "spot/m5.large/us-east-1a +180", ALL},
    {AREA_ICE "a mark that is renewed", "spot/m5.large/us-east-1a +100 spot/m5.large/us-east-1a +100",
     "spot:a-b+c+d-e-f- on-demand:a+b+c+d-e-f-"},
    {AREA_ICE "one of two marks ends", "spot/m5.large/us-east-1a +100 spot/m5.large/us-east-1b +100",
     "spot:a+b-c+d-e-f- on-demand:a+b+c+d-e-f-"},
    {AREA_ICE "the end of a capacity type's mark", "all/spot +180", ALL},
    {AREA_ICE "the end of a subnet's mark", "subnet/subnet-b +180", ALL},
    {AREA_ICE "a zone where the class has no subnet", "spot/m5.large/us-east-1d", ALL},
    {AREA_ICE "a day later", "all/spot spot/m5.large/us-east-1a subnet/subnet-b +86400", ALL},
    {AREA_ZONE "a zone", "left/use1-az1", "spot:a-b+c+d-e-f- on-demand:a-b+c+d-e-f-"},
    {AREA_ZONE "two zones", "left/use1-az1,use1-az3", "spot:a-b+c-d-e-f- on-demand:a-b+c-d-e-f-"},
    {AREA_ZONE "a zone that the class has no subnet in", "left/use1-az6", ALL},
    {AREA_ZONE "names are no ids", "left/us-east-1a", ALL},
    {AREA_ZONE "it is over", "left/use1-az1 left/", ALL},
    {AREA_ZONE "another one instead", "left/use1-az1 left/use1-az2", "spot:a+b-c+d-e-f- on-demand:a+b-c+d-e-f-"},
    {AREA_ZONE "it does not end by itself", "left/use1-az1 +86400", "spot:a-b+c+d-e-f- on-demand:a-b+c+d-e-f-"},
    {AREA_ZONE "and a mark", "left/use1-az1 spot/m5.large/us-east-1b", "spot:a-b-c+d-e-f- on-demand:a-b+c+d-e-f-"},
    {AREA_ZONE "and a mark that ends", "left/use1-az1 spot/m5.large/us-east-1b +180",
     "spot:a-b+c+d-e-f- on-demand:a-b+c+d-e-f-"},
    {AREA_ZONE "it ends before a mark", "spot/m5.large/us-east-1a left/use1-az1 left/",
     "spot:a-b+c+d-e-f- on-demand:a+b+c+d-e-f-"},
};

#define TWO "spot:a+b+c-d-e-f- on-demand:a+b+c-d-e-f- reserved:"

static const Row reserved_rows[] = {
    {AREA_BLOCK "room", "room/3", TWO "a+cr-1=3"},
    {AREA_BLOCK "a full reservation is available, with no room", "room/0", TWO "a+cr-1=0"},
    {AREA_BLOCK "near its end", "room/3 expiring", TWO "a-cr-1=3"},
    {AREA_BLOCK "a launch takes one", "room/3 launched", TWO "a+cr-1=2"},
    {AREA_BLOCK "launches take what there is", "room/2 launched launched launched", TWO "a+cr-1=0"},
    {AREA_BLOCK "EC2 says another number", "room/3 launched room/2", TWO "a+cr-1=2"},
    {AREA_BLOCK "EC2 says the same number as before the launch", "room/3 launched room/3", TWO "a+cr-1=2"},
    {AREA_BLOCK "EC2 goes on saying so", "room/3 launched +180", TWO "a+cr-1=3"},
    {AREA_BLOCK "ReservationCapacityExceeded empties it, it stays available", "room/3 full", TWO "a+cr-1=0"},
    {AREA_BLOCK "until EC2 says another number", "room/3 full room/1", TWO "a+cr-1=1"},
    {AREA_BLOCK "an instance that is gone gives one back", "room/3 gone/i-1", TWO "a+cr-1=4"},
    {AREA_BLOCK "once", "room/3 gone/i-1 gone/i-1", TWO "a+cr-1=4"},
    {AREA_BLOCK "each of two", "room/3 gone/i-1 gone/i-2", TWO "a+cr-1=5"},
    {AREA_BLOCK "a quarter of an hour later it counts again", "room/3 gone/i-1 +900 gone/i-1", TWO "a+cr-1=4"},
    {AREA_BLOCK "launched and gone", "room/3 launched gone/i-1", TWO "a+cr-1=3"},
    {AREA_BLOCK "an interruption marks it for three minutes", "room/3 reservation/cr-1", TWO "a-cr-1=3"},
    {AREA_BLOCK "and no longer", "room/3 reservation/cr-1 +180", TWO "a+cr-1=3"},
    {AREA_BLOCK "another reservation's mark", "room/3 reservation/cr-2", TWO "a+cr-1=3"},
    {AREA_BLOCK "in a zone that is left", "room/3 left/use1-az1",
     "spot:a-b+c-d-e-f- on-demand:a-b+c-d-e-f- reserved:a-cr-1=3"},
    {AREA_BLOCK "a mark of all that is reserved", "room/3 all/reserved", TWO "a-cr-1=3"},
};

#include "cloud/support/offers.h"

// Publishes the class with its reservation anew.
static void describe_room(ProviderWorld *w, Slice room, const char *state) {
    ClassSnapshot *snapshot;
    int64_t number = 0;

    provider_class(w, "default", BLOCK);
    snapshot = *vec_last(&w->snapshots);
    assert_true(room.len == 0 || slice_to_int64(room, &number));
    assert_int_equal(snapshot->class.reservations.count, 1);
    snapshot->class.reservations.items[0].available_count = (int32_t)number;
    snapshot->class.reservations.items[0].state = provider_word(w, state);
    provider_types_class_changed(w->provider, SLICE("default"), snapshot);
}

static void mark_one(ProviderWorld *w, UnavailableMark mark) {
    const UnavailableMarkVec marks = {&mark, 1, 1};

    provider_mark(w->provider, &marks);
}

static Symbol word(ProviderWorld *w, const SliceVec *parts, uint32_t at) {
    return at < parts->count ? symbol_intern(w->symbols, parts->items[at]) : NAME_EMPTY;
}

static void take_step(ProviderWorld *w, Slice step) {
    SliceVec parts = test_parts(&w->arena, step, '/');
    Slice first = parts.items[0];
    int64_t seconds;

    if (step.ptr[0] == '+') {
        assert_true(slice_to_int64(slice_from(step, 1), &seconds));
        memory_pass(w->memory, seconds * NS_PER_S);
    } else if (slice_eq_text(first, "left")) {
        SliceVec ids = parts.count > 1 ? test_parts(&w->arena, parts.items[1], ',') : (SliceVec){0};

        provider_zones_left(w->provider, &ids);
    } else if (slice_eq_text(first, "room")) {
        describe_room(w, parts.items[1], "active");
    } else if (slice_eq_text(first, "expiring")) {
        describe_room(w, SLICE("3"), "expiring");
    } else if (slice_eq_text(first, "launched")) {
        provider_reservation_launched(w->provider, provider_word(w, "cr-1"));
    } else if (slice_eq_text(first, "full")) {
        provider_reservation_full(w->provider, provider_word(w, "cr-1"));
    } else if (slice_eq_text(first, "gone")) {
        provider_reservation_ended(w->provider, provider_word(w, "cr-1"), parts.items[1]);
    } else if (slice_eq_text(first, "all")) {
        mark_one(w, (UnavailableMark){.kind = UNAVAILABLE_CAPACITY_TYPE, .capacity_type = word(w, &parts, 1)});
    } else if (slice_eq_text(first, "subnet")) {
        mark_one(w, (UnavailableMark){.kind = UNAVAILABLE_SUBNET, .id = word(w, &parts, 1)});
    } else if (slice_eq_text(first, "reservation")) {
        mark_one(w, (UnavailableMark){.kind = UNAVAILABLE_RESERVATION, .id = word(w, &parts, 1)});
    } else if (slice_eq_text(first, "group")) {
        mark_one(w, (UnavailableMark){.kind = UNAVAILABLE_OFFERING,
                                      .capacity_type = word(w, &parts, 1),
                                      .type = word(w, &parts, 2),
                                      .zone = word(w, &parts, 3),
                                      .group = word(w, &parts, 4)});
    } else {
        mark_one(w, (UnavailableMark){.kind = UNAVAILABLE_OFFERING,
                                      .capacity_type = word(w, &parts, 0),
                                      .type = word(w, &parts, 1),
                                      .zone = word(w, &parts, 2)});
    }
}

// Whoever asks in between sees the same in the end. A second passes behind each step, so that the pace holds nothing
// back.
static void run(const Row *row, bool asks_between) {
    ProviderWorld *w = setup();
    SliceVec steps = test_parts(&w->arena, slice_of(row->steps), ' ');
    InstanceTypeVec launchable;

    provider_class(w, "default", "");
    for (vec_each(const Slice, step, &steps)) {
        if (asks_between)
            provider_offers(w, "default", "m5.large");
        take_step(w, *step);
    }
    if (asks_between) {
        provider_offers(w, "default", "m5.large");
        memory_pass(w->memory, 200 * NS_PER_MS);
    }
    assert_string_equal(provider_offers(w, "default", "m5.large"), row->wanted);
    assert_true(provider_types_launchable(w->provider, &w->arena, SLICE("default"), &launchable));
    assert_int_equal(launchable.count, provider_types(w->provider, SLICE("default"))->count);
    provider_world_free(w);
}

static void list_rows(TestCases *cases) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].name, (void *)(uintptr_t)&rows[i]);
    for (size_t i = 0; i < sizeof reserved_rows / sizeof *reserved_rows; i++)
        test_case(cases, reserved_rows[i].name, (void *)(uintptr_t)&reserved_rows[i]);
}

TEST_EACH(const Row, row, a_list_is_as_things_stand, list_rows) {
    run(row, false);
    run(row, true);
}

// --- pointers

static const InstanceTypeVec *types(ProviderWorld *w, const char *class_name) {
    return provider_types(w->provider, slice_of(class_name));
}

TEST_F(ProviderWorld, w, a_class_that_was_never_seen_has_no_list) {
    InstanceTypeVec launchable;

    assert_null(types(w, "default"));
    assert_false(provider_types_launchable(w->provider, &w->arena, SLICE("default"), &launchable));
}

TEST_F(ProviderWorld, w, a_class_without_subnets_has_no_list) {
    provider_class(w, "default", "status:\n  subnets: []\n");
    assert_null(types(w, "default"));
    assert_false(provider_logged(w, "ERROR"));
}

TEST_F(ProviderWorld, w, a_class_in_zones_of_another_region_has_no_list_and_the_log_says_why) {
    provider_class(w, "default", "status:\n  subnets: [{id: s, zone: eu-west-1a, zoneID: z}]\n");
    assert_null(types(w, "default"));
    assert_true(provider_logged(w, "ERROR cannot list the instance types of the EC2NodeClass [default]"));
}

TEST_F(ProviderWorld, w, a_class_that_loses_its_subnets_loses_its_list_which_lives_on) {
    const InstanceTypeVec *before;
    uint64_t ticket;
    uint32_t count;

    provider_class(w, "default", "");
    ticket = provider_types_hold(w->provider);
    before = types(w, "default");
    count = before->count;
    provider_class(w, "default", "status:\n  subnets: []\n");
    assert_null(types(w, "default"));
    memory_pass(w->memory, 59 * NS_PER_MIN);
    assert_null(types(w, "default"));
    assert_int_equal(before->count, count);
    assert_true(before->items[0].offerings.count > 0);
    provider_types_release(w->provider, ticket);
}

TEST_F(ProviderWorld, w, a_list_stays_the_same_as_long_as_nothing_changes) {
    const InstanceTypeVec *first;

    provider_class(w, "default", "");
    first = types(w, "default");
    for (int i = 0; i < 100; i++) {
        memory_pass(w->memory, NS_PER_MIN);
        assert_ptr_equal(types(w, "default"), first);
    }
}

TEST_F(ProviderWorld, w, a_lookup_that_changes_nothing_of_types_leaves_the_list) {
    const InstanceTypeVec *first;

    provider_class(w, "default", "");
    first = types(w, "default");
    provider_class(w, "default", "  tags: {a: b}\n  userData: echo\n");
    assert_ptr_equal(types(w, "default"), first);
}

TEST_F(ProviderWorld, w, subnets_in_another_order_leave_the_list) {
    const InstanceTypeVec *first;

    provider_class(w, "default", "");
    first = types(w, "default");
    provider_class(w, "default",
                   "status:\n  subnets:\n  - {id: subnet-c, zone: us-east-1c, zoneID: use1-az3}\n"
                   "  - {id: subnet-x, zone: us-east-1b, zoneID: use1-az2}\n"
                   "  - {id: subnet-b, zone: us-east-1b, zoneID: use1-az2}\n"
                   "  - {id: subnet-a, zone: us-east-1a, zoneID: use1-az1}\n");
    assert_ptr_equal(types(w, "default"), first);
}

TEST_F(ProviderWorld, w, a_change_of_the_kubelet_makes_another_list) {
    const InstanceTypeVec *first;

    provider_class(w, "default", "");
    first = types(w, "default");
    provider_class(w, "default", "  kubelet: {maxPods: 7}\n");
    assert_ptr_not_equal(types(w, "default"), first);
    assert_int_equal(
        resources_get(&instance_type_find(types(w, "default"), provider_word(w, "m5.large"))->capacity, NAME_PODS), 7);
}

TEST_F(ProviderWorld, w, classes_that_are_equal_for_types_share_a_list) {
    provider_class(w, "a", "");
    provider_class(w, "b", "  userData: echo\n");
    provider_class(w, "c", "  kubelet: {maxPods: 7}\n");
    assert_ptr_equal(types(w, "a"), types(w, "b"));
    assert_ptr_not_equal(types(w, "a"), types(w, "c"));
}

TEST_F(ProviderWorld, w, a_mark_and_its_end_lead_back_to_the_same_list) {
    const InstanceTypeVec *first;

    provider_class(w, "default", "");
    first = types(w, "default");
    memory_pass(w->memory, NS_PER_S);
    provider_mark_offering(w, "spot", "m5.large", "us-east-1a");
    assert_ptr_not_equal(types(w, "default"), first);
    memory_pass(w->memory, 180 * NS_PER_S);
    assert_ptr_equal(types(w, "default"), first);
}

// tenon (issue 15, point 7): what fails again soon after its mark ended is left alone for twice as long.
TEST_F(ProviderWorld, w, marks_double_while_what_they_mark_fails) {
    static const int64_t minutes[] = {3, 6, 12, 24, 30, 30};

    provider_class(w, "default", "");
    for (size_t i = 0; i < sizeof minutes / sizeof *minutes; i++) {
        provider_mark_offering(w, "spot", "m5.large", "us-east-1a");
        memory_pass(w->memory, minutes[i] * NS_PER_MIN - NS_PER_S);
        assert_non_null(strstr(provider_offers(w, "default", "m5.large"), "spot:a-"));
        memory_pass(w->memory, NS_PER_S);
        assert_non_null(strstr(provider_offers(w, "default", "m5.large"), "spot:a+"));
    }
}

// Karpenter's rule, by a setting (reference aws.md 2.6).
TEST(marks_last_three_minutes_each_by_karpenters_rule) {
    AwsProviderSettings settings = AWS_PROVIDER_SETTINGS;
    ProviderWorld *w;

    settings.cluster_name = SLICE("c");
    settings.plain_capacity_memory = true;
    w = provider_world("us-east-1", &settings);
    provider_class(w, "default", "");
    for (uint32_t i = 0; i < 3; i++) {
        provider_mark_offering(w, "spot", "m5.large", "us-east-1a");
        memory_pass(w->memory, 3 * NS_PER_MIN - NS_PER_S);
        assert_non_null(strstr(provider_offers(w, "default", "m5.large"), "spot:a-"));
        memory_pass(w->memory, NS_PER_S);
        assert_non_null(strstr(provider_offers(w, "default", "m5.large"), "spot:a+"));
    }
    provider_world_free(w);
}

TEST_F(ProviderWorld, w, a_mark_that_changes_nothing_leaves_the_list) {
    const InstanceTypeVec *first;

    provider_class(w, "default", "");
    first = types(w, "default");
    memory_pass(w->memory, NS_PER_S);
    provider_mark_offering(w, "spot", "no.such", "us-east-1a");
    provider_mark_offering(w, "spot", "m5.large", "us-east-1d");
    assert_ptr_equal(types(w, "default"), first);
}

TEST_F(ProviderWorld, w, a_list_under_marks_shares_all_but_the_marked_types) {
    const InstanceTypeVec *first, *second;
    uint32_t apart = 0;

    provider_class(w, "default", "");
    first = types(w, "default");
    memory_pass(w->memory, NS_PER_S);
    provider_mark_offering(w, "spot", "m5.large", "us-east-1a");
    second = types(w, "default");
    for (uint32_t i = 0; i < first->count; i++)
        apart += first->items[i].offerings.items != second->items[i].offerings.items;
    assert_int_equal(apart, 1);
}

TEST_F(ProviderWorld, w, a_class_that_is_gone_has_no_list_and_its_list_lives_on) {
    uint64_t ticket = provider_types_hold(w->provider);
    const InstanceTypeVec *before;

    provider_class(w, "default", "");
    before = types(w, "default");
    provider_types_class_changed(w->provider, SLICE("default"), NULL);
    provider_types_class_changed(w->provider, SLICE("never seen"), NULL);
    assert_null(types(w, "default"));
    memory_pass(w->memory, 59 * NS_PER_MIN);
    assert_null(types(w, "default"));
    assert_true(before->items[before->count - 1].offerings.count > 0);
    provider_types_release(w->provider, ticket);
}

TEST_F(ProviderWorld, w, a_class_that_comes_back_has_a_list) {
    provider_class(w, "default", "");
    provider_types_class_changed(w->provider, SLICE("default"), NULL);
    provider_class(w, "default", "");
    assert_string_equal(provider_offers(w, "default", "m5.large"), ALL);
}

TEST_F(ProviderWorld, w, zones_are_known_by_the_subnets_of_classes) {
    SliceVec left = {0};

    assert_int_equal(provider_zone_of_id(w->provider, SLICE("use1-az1")), NAME_EMPTY);
    provider_class(w, "default", "");
    vec_push(&w->arena, &left, SLICE("use1-az1"));
    provider_zones_left(w->provider, &left);
    assert_int_equal(provider_zone_of_id(w->provider, SLICE("use1-az1")), provider_word(w, "us-east-1a"));
    assert_int_equal(provider_zone_of_id(w->provider, SLICE("use1-az4")), NAME_EMPTY);
    assert_true(provider_zone_is_left(w->provider, SLICE("us-east-1a")));
    assert_false(provider_zone_is_left(w->provider, SLICE("us-east-1b")));
}

TEST_F(ProviderWorld, w, nothing_is_confirmed_before_ec2_was_asked) {
    assert_false(provider_market_is_confirmed(w->provider));
}

// --- what metrics show (reference aws.md 9.1)

static const OfferingFact *shown(const MarketFacts *facts, const char *type, const char *capacity_type,
                                 const char *zone) {
    for (vec_each(const OfferingFact, offering, &facts->offerings)) {
        if (slice_eq_text(offering->type, type) && slice_eq_text(offering->capacity_type, capacity_type) &&
            slice_eq_text(offering->zone, zone))
            return offering;
    }
    return NULL;
}

TEST_F(ProviderWorld, w, metrics_show_offerings_as_they_are_now) {
    MarketFacts facts;

    provider_class(w, "default", "");
    provider_class(w, "other", "  kubelet: {maxPods: 7}\n");
    provider_mark_offering(w, "spot", "m5.large", "us-east-1a");
    facts = aws_provider_market(w->provider, &w->arena);
    assert_int_equal(facts.types.count, types(w, "default")->count);
    assert_false(shown(&facts, "m5.large", "spot", "us-east-1a")->is_available);
    assert_true(shown(&facts, "m5.large", "spot", "us-east-1b")->is_available);
    assert_true(shown(&facts, "m5.large", "on-demand", "us-east-1a")->price_per_hour > 0);
    assert_false(shown(&facts, "m5.large", "reserved", "us-east-1a")->is_available);
    memory_pass(w->memory, UNAVAILABLE_FOR_NS);
    facts = aws_provider_market(w->provider, &w->arena);
    assert_true(shown(&facts, "m5.large", "spot", "us-east-1a")->is_available);
}

TEST_F(ProviderWorld, w, metrics_show_what_lately_had_no_capacity) {
    MarketFacts facts;

    assert_int_equal(aws_provider_market(w->provider, &w->arena).types.count, 0); // no class yet
    provider_class(w, "default", "");
    provider_mark_offering(w, "spot", "m5.large", "us-east-1a");
    memory_pass(w->memory, NS_PER_MIN);
    facts = aws_provider_market(w->provider, &w->arena);
    assert_int_equal(facts.troubles.count, 1);
    assert_true(slice_eq_text(facts.troubles.items[0].type, "m5.large"));
    assert_int_equal(facts.troubles.items[0].left_ns, 2 * NS_PER_MIN);
    assert_int_equal(facts.troubles.items[0].launches, 0);
    memory_pass(w->memory, 2 * NS_PER_MIN);
    facts = aws_provider_market(w->provider, &w->arena);
    assert_int_equal(facts.troubles.items[0].left_ns, 0);
    assert_int_equal(facts.troubles.items[0].launches, 1);
    memory_pass(w->memory, TROUBLE_MOST_NS);
    assert_int_equal(aws_provider_market(w->provider, &w->arena).troubles.count, 0);
}
