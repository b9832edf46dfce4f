// Budgets of offerings: how claims share a fleet, or two, where an offering had no capacity lately (issue 15, point 7;
// k#3198). Upstream has nothing of the kind; that nothing waits, and that nothing changes without trouble, is its
// behaviour (suite of the instance provider).
#include "cloud/aws/provider/support/ec2_world.h"

enum { MANY = 10 };

FIXTURE(World, world_new, world_free);

static CloudResult *launch_many(World *w, const char *requirements, uint32_t count) {
    static uint32_t number;
    NodeClaim **claims = arena_array(&w->arena, NodeClaim *, count);

    for (uint32_t i = 0; i < count; i++) {
        const char *name = arena_printf(&w->arena, "n-%04u", number++).ptr;

        claims[i] = world_claim_with(w, &(WorldClaim){.name = name, .requirements = requirements});
    }
    return world_launch(w, claims, count);
}

static void assert_all(const CloudResult *results, uint32_t count, ErrCode code) {
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(results[i].code, code);
}

// "1:m5.large/a c5.large/a; 9:c5.large/a": claims and overrides of the fleets since the number.
static const char *fleets_since(World *w, uint32_t from) {
    Slice text = SLICE("");

    for (uint32_t i = from; i < w->fleets.count; i++) {
        const char *body = w->fleets.items[i].body;

        text = arena_printf(&w->arena, "%.*s%s%s:", SLICE_ARG(text), i > from ? "; " : "",
                            world_param(w, body, "TargetCapacitySpecification.TotalTargetCapacity"));
        for (uint32_t config = 1, one = 1; config <= 2; one++) {
            const char *name = arena_printf(&w->arena, "LaunchTemplateConfigs.%u.Overrides.%u.", config, one).ptr;
            const char *type = world_param(w, body, arena_printf(&w->arena, "%sInstanceType", name).ptr);
            const char *zone = world_param(w, body, arena_printf(&w->arena, "%sAvailabilityZone", name).ptr);

            if (type)
                text = arena_printf(&w->arena, "%.*s %s/%s", SLICE_ARG(text), type, zone);
            else
                config++, one = 0;
        }
    }
    return text.ptr;
}

// m5.large in zone a on spot, which is the cheapest, has no capacity, and its mark is over. How many fleets there were.
static uint32_t in_trouble(World *w) {
    w->errors = "InsufficientInstanceCapacity m5.large a";
    assert_all(launch_many(w, "", 1), 1, OK);
    w->errors = NULL;
    memory_pass(w->memory, UNAVAILABLE_FOR_NS);
    return w->fleets.count;
}

#define ALL  " m5.large/a m5.large/b c5.large/a r5.large/b"
#define REST " m5.large/b c5.large/a r5.large/b"

#define ZONE_A "{key: topology.kubernetes.io/zone, operator: In, values: [a]}"
#define ONLY_M5_IN_A                                                                                                   \
    ZONE_A ", {key: node.kubernetes.io/instance-type, operator: In, values: [m5.large]}, "                             \
           "{key: karpenter.sh/capacity-type, operator: In, values: [spot]}"
#define ZONE_A_OF_TWO_TYPES                                                                                            \
    ZONE_A ", {key: node.kubernetes.io/instance-type, operator: Exists, minValues: 2}, "                               \
           "{key: karpenter.sh/capacity-type, operator: In, values: [spot]}"

TEST_F(World, w, without_trouble_all_are_one_fleet) {
    assert_all(launch_many(w, "", MANY), MANY, OK);
    assert_string_equal(fleets_since(w, 0), "10:" ALL);
}

TEST_F(World, w, one_claim_probes_and_the_others_go_elsewhere_or_after_it) {
    uint32_t from = in_trouble(w);

    w->errors = "InsufficientInstanceCapacity m5.large a";
    assert_all(launch_many(w, "", MANY), MANY, OK);
    assert_string_equal(fleets_since(w, from), "1:" ALL "; 9:" REST);
}

TEST_F(World, w, a_probe_that_succeeds_opens_the_offering_to_the_others) {
    uint32_t from = in_trouble(w);

    assert_all(launch_many(w, "", MANY), MANY, OK);
    assert_string_equal(fleets_since(w, from), "1:" ALL "; 9:" ALL);
    from = w->fleets.count;
    assert_all(launch_many(w, "", MANY), MANY, OK);
    assert_string_equal(fleets_since(w, from), "10:" ALL);
}

TEST_F(World, w, a_budget_is_used_before_the_others_go_elsewhere) {
    uint32_t from = in_trouble(w);

    assert_all(launch_many(w, "", 1), 1, OK); // half of 100, and one
    assert_all(launch_many(w, "", 200), 200, OK);
    assert_string_equal(fleets_since(w, from), "1:" ALL "; 51:" ALL "; 149:" REST);
}

TEST_F(World, w, a_lone_claim_is_one_fleet) {
    uint32_t from = in_trouble(w);

    assert_all(launch_many(w, "", 1), 1, OK);
    assert_string_equal(fleets_since(w, from), "1:" ALL);
}

TEST_F(World, w, without_an_alternative_nobody_waits) {
    uint32_t from = in_trouble(w);

    assert_all(launch_many(w, ONLY_M5_IN_A, MANY), MANY, OK);
    assert_string_equal(fleets_since(w, from), "10: m5.large/a");
}

// minValues counts the types that EC2 is asked for; in zone b there would be m5.large alone.
TEST_F(World, w, types_that_min_values_wants_stay) {
    uint32_t from = in_trouble(w);

    assert_all(launch_many(w, ZONE_A_OF_TWO_TYPES, MANY), MANY, OK);
    assert_string_equal(fleets_since(w, from), "10: m5.large/a c5.large/a");
}

// A fault in one part says nothing of the other, and what was under way has ended: the next launch probes again.
TEST_F(World, w, a_probe_that_is_refused_is_tried_again) {
    uint32_t from = in_trouble(w);
    const CloudResult *results;

    world_fault(w, "CreateFleet", "InternalFailure")->status = 400;
    results = launch_many(w, "", MANY);
    assert_int_equal(world_running(w), MANY);
    for (uint32_t i = 0, failed = 0; i < MANY; i++)
        assert_true(results[i].code == OK || !failed++);
    assert_string_equal(fleets_since(w, from), "9:" REST);
    assert_all(launch_many(w, "", 1), 1, OK);
    assert_string_equal(fleets_since(w, from), "9:" REST "; 1:" ALL);
}

// --- addresses (aws#5234)

static void describe_subnets(World *w, int64_t in_a, int64_t in_b) {
    Ec2SubnetVec subnets = {0};

    vec_push(&w->arena, &subnets,
             (Ec2Subnet){.subnet_id = SLICE("subnet-a"), .available_ip_address_count = aws_integer(in_a)});
    vec_push(&w->arena, &subnets,
             (Ec2Subnet){.subnet_id = SLICE("subnet-b"), .available_ip_address_count = aws_integer(in_b)});
    provider_subnets_seen(w->provider, &subnets);
}

typedef struct {
    const char *name;
    int64_t in_a, in_b;
    const char *wanted;
} AddressRow;

static void list_addresses(TestCases *cases) {
    // ten instances of 29 addresses each
    static AddressRow rows[] = {
        {"both zones hold all", 290, 290, "10:" ALL},
        {"a zone that cannot hold all is left out", 289, 290, "10: m5.large/b r5.large/b"},
        {"the other", 290, 0, "10: m5.large/a c5.large/a"},
        {"neither can: neither is left out", 289, 28, "10:" ALL},
        {"nor where there is nothing", 0, 0, "10:" ALL},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].name, &rows[i]);
}

// subnet: the zone's subnet with most addresses, whatever it has; tenon: zones that can hold the pods before others.
TEST_EACH(AddressRow, row, zones_without_addresses_for_the_pods_are_last, list_addresses) {
    World *w = world_new();

    describe_subnets(w, row->in_a, row->in_b);
    assert_all(launch_many(w, "", MANY), MANY, OK);
    assert_string_equal(fleets_since(w, 0), row->wanted);
    world_free(w);
}

// EC2 shows the addresses of instances, not yet those of their pods: the next launch goes elsewhere all the same.
TEST_F(World, w, pods_that_are_still_to_come_have_their_addresses) {
    describe_subnets(w, 320, 320);
    assert_all(launch_many(w, "", MANY), MANY, OK); // to m5.large in a
    describe_subnets(w, 310, 320);
    assert_all(launch_many(w, "", MANY), MANY, OK);
    assert_string_equal(fleets_since(w, 1), "10: m5.large/b r5.large/b");
    memory_pass(w->memory, SUBNET_CHARGED_NS);
    describe_subnets(w, 310, 320); // there were no pods
    assert_all(launch_many(w, "", MANY), MANY, OK);
    assert_string_equal(fleets_since(w, 2), "10:" ALL);
}
