// EC2 as the simulated AWS plays it, asked by the real client: tokens, partial fulfilment, pages, user data.
#include "sim/support/wire_bed.h"

static void assert_text(Slice slice, const char *text) {
    if (!slice_eq_text(slice, text))
        fail_msg("expected \"%s\", got \"%.*s\"", text, SLICE_ARG(slice));
}

static ErrCode launch(WireBed *bed, const Ec2CreateFleetInput *input, Ec2CreateFleetOutput *ret_output,
                      AwsOutcome *ret_outcome) {
    return aws_call(wire_bed_client(bed), &bed->arena, &ec2_create_fleet, input, NULL, ret_output, ret_outcome, NULL);
}

// upstream: pkg/batcher/createfleet_test.go, and EC2's "Ensuring idempotency"
TEST(a_token_launches_once) {
    WireBed *bed = wire_bed_new((SimCloudConfig){0}, (SimAwsFaults){0});
    Ec2CreateFleetInput input, other;
    Ec2CreateFleetOutput first, second;
    AwsOutcome outcome;

    wire_bed_template(bed, "t", "");
    input = wire_bed_fleet(bed, "t", "token", 3);
    assert_int_equal(launch(bed, &input, &first, NULL), OK);
    assert_int_equal(launch(bed, &input, &second, NULL), OK);
    assert_int_equal(wire_bed_given(&first), 3);
    assert_int_equal(sim_cloud_instance_count(bed->cloud), 3);
    assert_true(
        slice_eq(first.instances.items[0].instance_ids.items[0], second.instances.items[0].instance_ids.items[0]));
    assert_true(slice_eq(first.fleet_id, second.fleet_id));

    other = wire_bed_fleet(bed, "t", "token", 4);
    assert_int_equal(launch(bed, &other, &second, &outcome), ERR_CONFLICT);
    assert_int_equal(outcome.kind, AWS_PARAMETERS_DIFFER);
    assert_int_equal(sim_cloud_instance_count(bed->cloud), 3);
    wire_bed_free(bed);
}

TEST(without_a_token_each_request_launches) {
    WireBed *bed = wire_bed_new((SimCloudConfig){0}, (SimAwsFaults){0});
    Ec2CreateFleetInput input;
    Ec2CreateFleetOutput output;

    wire_bed_template(bed, "t", "");
    input = wire_bed_fleet(bed, "t", "", 1);
    input.client_token = (Slice){0};
    assert_int_equal(launch(bed, &input, &output, NULL), OK);
    assert_int_equal(launch(bed, &input, &output, NULL), OK);
    assert_int_equal(sim_cloud_instance_count(bed->cloud), 2);
    wire_bed_free(bed);
}

// upstream: pkg/providers/instance/suite_test.go, "InsufficientInstanceCapacity" beside instances
TEST(a_fleet_is_fulfilled_in_part) {
    WireBed *bed = wire_bed_new((SimCloudConfig){0}, (SimAwsFaults){0});
    SimFilter pool = {SLICE("m5.large"), SLICE("us-east-1a"), SLICE("on-demand")};
    Ec2CreateFleetInput input;
    Ec2CreateFleetOutput output;
    const Ec2FleetError *error;

    wire_bed_template(bed, "t", "");
    assert_int_equal(sim_cloud_fault_left(bed->cloud, pool, 3), 1);
    input = wire_bed_fleet(bed, "t", "token", 5);
    assert_int_equal(launch(bed, &input, &output, NULL), OK);
    assert_int_equal(wire_bed_given(&output), 3);
    assert_int_equal(output.errors.count, 1);
    error = &output.errors.items[0];
    assert_text(error->error_code, "InsufficientInstanceCapacity");
    assert_text(error->launch_template_and_overrides->overrides->instance_type, "m5.large");
    assert_text(error->launch_template_and_overrides->overrides->availability_zone, "us-east-1a");
    wire_bed_free(bed);
}

TEST(a_template_that_is_gone_is_an_error_of_the_fleet) {
    WireBed *bed = wire_bed_new((SimCloudConfig){0}, (SimAwsFaults){0});
    Ec2CreateFleetInput input = wire_bed_fleet(bed, "t", "token", 1);
    Ec2CreateFleetOutput output;

    assert_int_equal(launch(bed, &input, &output, NULL), OK);
    assert_int_equal(wire_bed_given(&output), 0);
    assert_text(output.errors.items[0].error_code, "InvalidLaunchTemplateName.NotFoundException");
    wire_bed_free(bed);
}

// --- descriptions

typedef struct {
    uint32_t pages, instances;
} Listing;

static bool add_page(void *context, const void *output) {
    const Ec2DescribeInstancesOutput *page = output;
    Listing *listing = context;

    listing->pages++;
    for (vec_each(const Ec2Reservation, reservation, &page->reservations))
        listing->instances += reservation->instances.count;
    return true;
}

static ErrCode list(WireBed *bed, const char *token, Listing *ret_listing) {
    Ec2DescribeInstancesInput input = {.max_results = aws_integer(1000)};
    Ec2Filter filter = {.name = SLICE("tag:tenon.sh/launch")};
    const AwsPageVisitor visitor = {add_page, ret_listing};

    *ret_listing = (Listing){0};
    vec_push(&bed->arena, &filter.values, slice_of(token));
    vec_push(&bed->arena, &input.filters, filter);
    return aws_pages(wire_bed_client(bed), &bed->arena, &ec2_describe_instances, &input, NULL, &visitor, NULL, NULL);
}

TEST(instances_come_in_pages_each_once) {
    WireBed *bed = wire_bed_new((SimCloudConfig){.is_consistent = true}, (SimAwsFaults){0});
    Ec2CreateFleetInput input, other;
    Ec2CreateFleetOutput output;
    Listing listing;

    wire_bed_template(bed, "t", "");
    input = wire_bed_fleet(bed, "t", "a", 90);
    other = wire_bed_fleet(bed, "t", "b", 7);
    assert_int_equal(launch(bed, &input, &output, NULL), OK);
    assert_int_equal(launch(bed, &other, &output, NULL), OK);
    assert_int_equal(list(bed, "a", &listing), OK);
    assert_int_equal(listing.instances, 90);
    assert_int_equal(listing.pages, 3);
    assert_int_equal(list(bed, "b", &listing), OK);
    assert_int_equal(listing.instances, 7);
    wire_bed_free(bed);
}

// --- user data

#define NODE_CONFIG                                                                                                    \
    "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=\"//\"\n\n--//\nContent-Type: "                        \
    "application/node.eks.aws\n\napiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec:\n  cluster: "              \
    "{apiServerEndpoint: \"https://e\", name: c}\n  kubelet:\n    config:\n      registerWithTaints: [{key: k, "       \
    "value: "                                                                                                          \
    "v, effect: NoExecute}]\n    flags: ['--node-labels=\"team=a,karpenter.sh/nodepool=p\"']\n\n--//--\n"

static Slice label(const WireBed *bed, const SimInstance *instance, const char *key) {
    const Symbols *symbols = world_symbols(bed->world);
    Symbol found = symbol_find(symbols, slice_of(key));

    found = found == INDEX_NONE ? INDEX_NONE : labels_get(&instance->labels, found);
    return found == INDEX_NONE ? (Slice){0} : symbol_text(symbols, found);
}

TEST(a_kubelet_does_what_its_user_data_says) {
    WireBed *bed = wire_bed_new((SimCloudConfig){0}, (SimAwsFaults){0});
    const Symbols *symbols = world_symbols(bed->world);
    Ec2CreateFleetInput input;
    Ec2CreateFleetOutput output;
    const SimInstance *instance;

    wire_bed_template(bed, "t", NODE_CONFIG);
    input = wire_bed_fleet(bed, "t", "token", 1);
    assert_int_equal(launch(bed, &input, &output, NULL), OK);
    instance = sim_cloud_instance(bed->cloud, 0);
    assert_true(instance->will_join);
    assert_text(label(bed, instance, "team"), "a");
    assert_text(label(bed, instance, "karpenter.sh/nodepool"), "p");
    assert_text(label(bed, instance, "node.kubernetes.io/instance-type"), "m5.large");
    assert_int_equal(instance->taints.count, 1);
    assert_text(symbol_text(symbols, instance->taints.items[0].key), "k");
    assert_int_equal(instance->taints.items[0].effect, EFFECT_NO_EXECUTE);
    wire_bed_free(bed);
}

TEST(without_user_data_no_kubelet_joins) {
    WireBed *bed = wire_bed_new((SimCloudConfig){0}, (SimAwsFaults){0});
    Ec2CreateFleetInput input;
    Ec2CreateFleetOutput output;

    wire_bed_template(bed, "t", "#!/bin/sh\n");
    input = wire_bed_fleet(bed, "t", "token", 1);
    assert_int_equal(launch(bed, &input, &output, NULL), OK);
    assert_false(sim_cloud_instance(bed->cloud, 0)->will_join);
    wire_bed_free(bed);
}

// --- ways

TEST(a_lost_request_has_no_effect) {
    WireBed *bed = wire_bed_new((SimCloudConfig){0}, (SimAwsFaults){.lost = 1000});
    Ec2CreateFleetInput input = wire_bed_fleet(bed, "t", "token", 1);
    Ec2CreateFleetOutput output;
    AwsOutcome outcome;

    assert_int_equal(launch(bed, &input, &output, &outcome), ERR_IO);
    assert_true(outcome.may_be_done);
    assert_int_equal(outcome.attempts, 3);
    assert_int_equal(sim_aws_counts(bed->aws).requests, 0);
    wire_bed_free(bed);
}

// Each of these may happen to the answer; the client tries three times, and EC2 launches once.
TEST(what_happens_to_an_answer_does_not_launch_twice) {
    static const SimAwsFaults ways[] = {{.unanswered = 700}, {.cut = 700}, {.doubled = 700}, {.late = 700}};

    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        WireBed *bed = wire_bed_new((SimCloudConfig){0}, ways[i]);
        Ec2CreateLaunchTemplateOutput made;
        Ec2CreateFleetOutput output;
        uint32_t good = 0;

        for (uint32_t number = 0; number < 20; number++) {
            const char *name = arena_text(&bed->arena, arena_printf(&bed->arena, "t%u", number));
            Ec2LaunchTemplateData data = {.image_id = SLICE("ami-1")};
            Ec2CreateLaunchTemplateInput template = {.launch_template_name = slice_of(name),
                                                     .launch_template_data = &data};
            Ec2CreateFleetInput input = wire_bed_fleet(bed, name, name, 2);

            (void)aws_call(wire_bed_client(bed), &bed->arena, &ec2_create_launch_template, &template, NULL, &made, NULL,
                           NULL);
            wire_bed_pass(bed, NS_PER_MIN);
            good += launch(bed, &input, &output, NULL) == OK;
            wire_bed_pass(bed, NS_PER_MIN);
            assert_true(sim_cloud_instance_count(bed->cloud) <= 2 * (number + 1));
        }
        assert_true(good > 0);
        assert_true(sim_cloud_instance_count(bed->cloud) >= 2 * good);
        wire_bed_free(bed);
    }
}

TEST(a_dead_process_sends_nothing) {
    WireBed *bed = wire_bed_new((SimCloudConfig){0}, (SimAwsFaults){0});
    Ec2CreateFleetInput input = wire_bed_fleet(bed, "t", "token", 1);
    Ec2CreateFleetOutput output;

    bed->is_dead = true;
    assert_int_equal(launch(bed, &input, &output, NULL), ERR_IO);
    assert_int_equal(sim_aws_counts(bed->aws).requests, 0);
    wire_bed_free(bed);
}
