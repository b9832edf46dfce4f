// What EC2 is asked for: upstream's area "instances and filters" (CreateFleet's input, pkg/providers/instance/
// suite_test.go) and "cloud provider". Reference aws.md 3.4, 3.6.
#include "cloud/aws/launch/client_token.h"
#include "cloud/support/fleet.h"
#include "harness/test.h"

enum { RELAXED = 1, OVERLAY = 2, TWO_CLAIMS = 4 };

typedef struct {
    const char *name, *lines, *types, *requirements;
    int with;
    const char *has;   // lines of the body, sorted or not: each must be there, between spaces
    const char *lacks; // parts that must not be there
} Row;

#define FLEET          "instances and filters: fleet: "
#define SPOT           "m5.large: s:a:0.5 s:b:0.25"
#define OD             "m5.large: o:a:0.5"
#define RES            "m5.large: r:a:0.1:cr-1:3"
#define CONFIG(n)      "LaunchTemplateConfigs." #n "."
#define OVERRIDE(n, m) CONFIG(n) "Overrides." #m "."

static const Row rows[] = {
    {FLEET "R058: instant, for one instance", "", SPOT, "", 0,
     "Type=instant TargetCapacitySpecification.TotalTargetCapacity=1", "DryRun"},
    {FLEET "R058: spot by price and capacity", "", SPOT, "", 0,
     "SpotOptions.AllocationStrategy=price-capacity-optimized "
     "TargetCapacitySpecification.DefaultTargetCapacityType=spot",
     "OnDemandOptions ReservedCapacityOptions MaxPrice"},
    {FLEET "R058: on demand by price", "", OD, "ct=on-demand", 0,
     "OnDemandOptions.AllocationStrategy=lowest-price "
     "TargetCapacitySpecification.DefaultTargetCapacityType=on-demand",
     "SpotOptions ReservedCapacityOptions"},
    {FLEET "as many as there are claims", "", OD, "", TWO_CLAIMS, "TargetCapacitySpecification.TotalTargetCapacity=2",
     ""},
    {FLEET "spot with an overlay of prices: by priority", "", SPOT, "", OVERLAY,
     "SpotOptions.AllocationStrategy=capacity-optimized-prioritized", ""},
    {FLEET "on demand with an overlay of prices: by priority", "", OD, "", OVERLAY,
     "OnDemandOptions.AllocationStrategy=prioritized", ""},
    {FLEET "a reservation is bought on demand", "", RES, "", 0,
     "OnDemandOptions.AllocationStrategy=lowest-price "
     "TargetCapacitySpecification.DefaultTargetCapacityType=on-demand",
     "ReservedCapacityOptions SpotOptions"},
    {FLEET "a reservation with an overlay of prices", "", RES, "", OVERLAY,
     "OnDemandOptions.AllocationStrategy=prioritized", ""},
    {FLEET "an interruptible reservation", "", RES ":int", "", 0,
     "ReservedCapacityOptions.ReservationType.1=interruptible-capacity-reservation "
     "TargetCapacitySpecification.DefaultTargetCapacityType=reserved-capacity",
     "OnDemandOptions SpotOptions"},
    {FLEET "a capacity block", "", RES ":block", "", 0,
     "TargetCapacitySpecification.DefaultTargetCapacityType=capacity-block",
     "OnDemandOptions SpotOptions ReservedCapacityOptions"},
    {FLEET "R133: an override for each zone, with its subnet", "", SPOT, "", 0,
     OVERRIDE(1, 1) "AvailabilityZone=a " OVERRIDE(1, 1) "SubnetId=subnet-a " OVERRIDE(
         1, 2) "AvailabilityZone=b " OVERRIDE(1, 2) "SubnetId=subnet-b",
     "Overrides.3"},
    {FLEET "an override has type, image and price", "", SPOT, "", 0,
     OVERRIDE(1, 1) "InstanceType=m5.large " OVERRIDE(1, 1) "ImageId=ami-amd " OVERRIDE(1, 1) "Priority=0.5 " OVERRIDE(
         1, 2) "Priority=0.25",
     ""},
    {FLEET "the template by name, its latest version", "", SPOT, "", 0,
     CONFIG(1) "LaunchTemplateSpecification.LaunchTemplateName=lt-1 " CONFIG(
         1) "LaunchTemplateSpecification.Version=%24Latest",
     "LaunchTemplateId"},
    {FLEET "no override in a zone without a subnet", "", "m5.large: s:a:1 s:c:1", "", 0,
     OVERRIDE(1, 1) "AvailabilityZone=a", "Overrides.2 AvailabilityZone%3Dc"},
    {FLEET "R045: a template for each architecture", "", "m5.large: s:a:1; m6g.large arch=arm64: s:a:2", "", 0,
     OVERRIDE(1, 1) "ImageId=ami-amd " OVERRIDE(2, 1) "ImageId=ami-arm " CONFIG(
         2) "LaunchTemplateSpecification.LaunchTemplateName=lt-2",
     "LaunchTemplateConfigs.3"},
    {FLEET "only offerings of the capacity type", "", "m5.large: o:a:2 s:b:1", "", 0,
     OVERRIDE(1, 1) "AvailabilityZone=b", "Overrides.2"},
    {FLEET "a template for each reservation", "", "m5.large: r:a:1:cr-1:3 r:b:2:cr-2:3", "", 0,
     OVERRIDE(1, 1) "AvailabilityZone=a " OVERRIDE(2, 1) "AvailabilityZone=b", "LaunchTemplateConfigs.1.Overrides.2"},
    {FLEET "a full reservation is never an override", "", "m5.large: r:a:1:cr-1:3 r:b:2:cr-2:0", "", 0,
     OVERRIDE(1, 1) "AvailabilityZone=a", "LaunchTemplateConfigs.2 subnet-b"},
    {FLEET "context", "  context: ctx-1\n", SPOT, "", 0, "Context=ctx-1", ""},
    {FLEET "no context", "", SPOT, "", 0, "", "Context="},
    {FLEET "no context where minValues were relaxed", "  context: ctx-1\n", SPOT, "", RELAXED, "", "Context="},
    {FLEET "R145: tags of instances", "  tags: {team: x}\n", SPOT, "", 0,
     "TagSpecification.1.ResourceType=instance TagSpecification.1.Tag.1.Key=eks%3Aeks-cluster-name "
     "TagSpecification.1.Tag.1.Value=c TagSpecification.1.Tag.2.Key=karpenter.k8s.aws%2Fec2nodeclass "
     "TagSpecification.1.Tag.3.Key=karpenter.sh%2Fnodepool TagSpecification.1.Tag.3.Value=pool "
     "TagSpecification.1.Tag.4.Key=kubernetes.io%2Fcluster%2Fc TagSpecification.1.Tag.4.Value=owned "
     "TagSpecification.1.Tag.5.Key=team TagSpecification.1.Tag.5.Value=x "
     "TagSpecification.1.Tag.6.Key=tenon.sh%2Flaunch",
     "TagSpecification.1.Tag.7"},
    {FLEET "R145: tags of volumes and of the fleet", "  tags: {team: x}\n", SPOT, "", 0,
     "TagSpecification.2.ResourceType=volume TagSpecification.2.Tag.5.Value=x "
     "TagSpecification.3.ResourceType=fleet TagSpecification.3.Tag.5.Value=x",
     "TagSpecification.2.Tag.6 TagSpecification.3.Tag.6 TagSpecification.4"},
    {FLEET "R022: a tag Name of the user, and one that says no", "  tags: {Name: web, k: \"no\"}\n", SPOT, "", 0,
     "TagSpecification.1.Tag.1.Key=Name TagSpecification.1.Tag.1.Value=web TagSpecification.1.Tag.3.Key=k "
     "TagSpecification.1.Tag.3.Value=no",
     ""},
    {FLEET "the token's tag keeps the order", "  tags: {z: x}\n", SPOT, "", 0,
     "TagSpecification.1.Tag.5.Key=tenon.sh%2Flaunch TagSpecification.1.Tag.6.Key=z", "TagSpecification.1.Tag.7"},
};

static void list_rows(TestCases *cases) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].name, (void *)(uintptr_t)&rows[i]);
}

static Slice body_of(TestFleet *test, const Ec2CreateFleetInput *input) {
    AwsMessage message;

    assert_int_equal(aws_write(&test->launch->arena, &ec2_create_fleet, input, &message, NULL), OK);
    return arena_printf(&test->launch->arena, "&%.*s&", SLICE_ARG(message.body));
}

static void assert_body(TestFleet *test, Slice body, const Row *row) {
    SliceVec has = test_parts(&test->launch->arena, slice_of(row->has), ' ');
    SliceVec lacks = test_parts(&test->launch->arena, slice_of(row->lacks), ' ');

    for (vec_each(const Slice, line, &has)) {
        if (!slice_contains(body, arena_printf(&test->launch->arena, "&%.*s&", SLICE_ARG(*line))))
            fail_msg("no %.*s in %.*s", SLICE_ARG(*line), SLICE_ARG(body));
    }
    for (vec_each(const Slice, part, &lacks)) {
        if (slice_contains(body, *part))
            fail_msg("%.*s in %.*s", SLICE_ARG(*part), SLICE_ARG(body));
    }
}

TEST_EACH(const Row, row, fleets_are_asked_for, list_rows) {
    TestFleet *test = test_fleet(row->lines, row->types, row->requirements);
    Ec2CreateFleetInput input;

    test->fleet.min_values_relaxed = (row->with & RELAXED) != 0;
    test->fleet.price_overlay = (row->with & OVERLAY) != 0;
    if (row->with & TWO_CLAIMS)
        test_fleet_claims(test, 2);
    assert_int_equal(fleet_request(&test->launch->arena, &test->fleet, &input, NULL), OK);
    assert_body(test, body_of(test, &input), row);
    test_fleet_free(test);
}

TEST(no_override_is_no_fleet) {
    TestFleet *test = test_fleet("", "m5.large: s:z:1", "");
    Ec2CreateFleetInput input;
    CloudError error = {0};

    assert_int_equal(fleet_request(&test->launch->arena, &test->fleet, &input, &error), ERR_INVALID);
    assert_true(slice_starts_with(slice_of(error.err.text), SLICE("no capacity offerings")));
    assert_false(error.class_not_ready);
    test_fleet_free(test);
}

TEST(a_group_without_a_template_is_left_out) {
    TestFleet *test = test_fleet("", "m5.large: s:a:1; m6g.large arch=arm64: s:a:2", "");
    Ec2CreateFleetInput input;

    test->fleet.template_names.items[0] = SLICE("");
    assert_int_equal(fleet_request(&test->launch->arena, &test->fleet, &input, NULL), OK);
    assert_int_equal(input.launch_template_configs.count, 1);
    assert_true(slice_eq_text(input.launch_template_configs.items[0].overrides.items[0].instance_type, "m6g.large"));
    test_fleet_free(test);
}

// --- tokens

static Slice token_of(TestFleet *test) {
    Ec2CreateFleetInput input;

    assert_int_equal(fleet_request(&test->launch->arena, &test->fleet, &input, NULL), OK);
    return input.client_token;
}

TEST(equal_launches_have_equal_tokens_whoever_makes_them) {
    TestFleet *one = test_fleet("", SPOT, ""), *other = test_fleet("", SPOT, "");
    Slice token;

    test_fleet_claims(one, 3);
    test_fleet_claims(other, 3);
    other->fleet.claims.items[0] = SLICE("uid-3"); // in another order
    other->fleet.claims.items[2] = SLICE("uid-1");
    token = token_of(one);
    assert_int_equal(token.len, 64);
    assert_true(slice_eq(token, token_of(other)));
    test_fleet_free(one);
    test_fleet_free(other);
}

TEST(a_token_is_of_the_claims_and_of_the_request) {
    TestFleet *test = test_fleet("", SPOT, "");
    Slice token = token_of(test);

    assert_true(slice_eq(token, token_of(test)));
    test->fleet.claims.items[0] = SLICE("uid-2");
    assert_false(slice_eq(token, token_of(test)));
    test->fleet.claims.items[0] = SLICE("uid-1");
    assert_true(slice_eq(token, token_of(test)));
    test->fleet.template_names.items[0] = SLICE("lt-9");
    assert_false(slice_eq(token, token_of(test)));
    test_fleet_free(test);
}

TEST(the_instances_have_the_token_as_a_tag) {
    TestFleet *test = test_fleet("  tags: {tenon.sh/launch: mine}\n", SPOT, "");
    uint32_t found = 0;
    Ec2CreateFleetInput input;

    assert_int_equal(fleet_request(&test->launch->arena, &test->fleet, &input, NULL), OK);
    for (vec_each(const Ec2Tag, tag, &input.tag_specifications.items[0].tags)) {
        if (!slice_eq_text(tag->key, LAUNCH_TOKEN_TAG))
            continue;
        assert_true(slice_eq(tag->value, input.client_token));
        found++;
    }
    assert_int_equal(found, 1);
    test_fleet_free(test);
}
