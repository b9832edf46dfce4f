// Instances as tenon's: upstream's areas "instances and filters" (pkg/providers/instance/types.go, List) and "cloud
// provider" (the NodeClaim returned, pkg/cloudprovider/suite_test.go). Users' R055, R088. Reference aws.md 3.6 to 3.8.
#include "cloud/aws/launch/instance.h"
#include "cloud/aws/launch/instance_query.h"
#include "cloud/support/fleet.h"
#include "harness/test.h"

#define SUBNETS                                                                                                        \
    "status: {subnets: [{id: subnet-1, zone: us-east-1a, zoneID: use1-az1}, {id: subnet-2, zone: us-east-1b}]}\n"

enum { NO_GATE = 1, NO_CLASS = 2, NO_TYPES = 4 };

// A described instance, in the members that a row says.
typedef struct {
    const char *name, *type, *state, *lifecycle, *spot_id, *reservation, *preference, *tenancy, *group, *interface;
    int64_t partition; // 0: none
    const char *zone;  // NULL: us-east-1a
    int with;
    const char *has;   // labels "key=value" and resources "key:amount", between spaces
    const char *lacks; // keys of either
} Row;

#define DESCRIBED "instances and filters: described: "
#define K         "karpenter.k8s.aws/"

static const Row rows[] = {
    {.name = DESCRIBED "on demand",
     .has = "karpenter.sh/capacity-type=on-demand",
     .lacks = K "capacity-reservation-id"},
    {.name = DESCRIBED "spot, by its request", .spot_id = "sir-1", .has = "karpenter.sh/capacity-type=spot"},
    {.name = DESCRIBED "spot before a reservation",
     .spot_id = "sir-1",
     .reservation = "cr-1",
     .preference = "capacity-reservations-only",
     .has = "karpenter.sh/capacity-type=spot",
     .lacks = K "capacity-reservation-id"},
    {.name = DESCRIBED "reserved",
     .reservation = "cr-1",
     .preference = "capacity-reservations-only",
     .has = "karpenter.sh/capacity-type=reserved " K "capacity-reservation-id=cr-1 " K
            "capacity-reservation-type=default " K "capacity-reservation-interruptible=false"},
    {.name = DESCRIBED "in a capacity block",
     .reservation = "cr-1",
     .preference = "capacity-reservations-only",
     .lifecycle = "capacity-block",
     .has = "karpenter.sh/capacity-type=reserved " K "capacity-reservation-type=capacity-block"},
    {.name = DESCRIBED "in an interruptible reservation",
     .reservation = "cr-1",
     .preference = "capacity-reservations-only",
     .lifecycle = "interruptible-capacity-reservation",
     .has = K "capacity-reservation-type=default " K "capacity-reservation-interruptible=true"},
    {.name = DESCRIBED "in an open reservation: on demand",
     .reservation = "cr-1",
     .preference = "open",
     .has = "karpenter.sh/capacity-type=on-demand",
     .lacks = K "capacity-reservation-id"},
    {.name = DESCRIBED "a reclaimed reservation: on demand",
     .preference = "capacity-reservations-only",
     .has = "karpenter.sh/capacity-type=on-demand"},
    {.name = DESCRIBED "without the gate nothing is reserved",
     .reservation = "cr-1",
     .preference = "capacity-reservations-only",
     .with = NO_GATE,
     .has = "karpenter.sh/capacity-type=on-demand"},
    {.name = DESCRIBED "zone and its id",
     .has = "topology.kubernetes.io/zone=us-east-1a topology.k8s.aws/zone-id=use1-az1"},
    {.name = DESCRIBED "a zone whose id is not known",
     .zone = "us-east-1b",
     .has = "topology.kubernetes.io/zone=us-east-1b",
     .lacks = "topology.k8s.aws/zone-id"},
    {.name = DESCRIBED "the class is gone",
     .with = NO_CLASS,
     .has = "topology.kubernetes.io/zone=us-east-1a",
     .lacks = "topology.k8s.aws/zone-id"},
    {.name = DESCRIBED "tenancy is default", .has = K "instance-tenancy=default"},
    {.name = DESCRIBED "tenancy is dedicated", .tenancy = "dedicated", .has = K "instance-tenancy=dedicated"},
    {.name = DESCRIBED "no placement group", .lacks = K "placement-group-id " K "placement-group-partition"},
    {.name = DESCRIBED "a placement group",
     .group = "pg-1",
     .has = K "placement-group-id=pg-1",
     .lacks = K "placement-group-partition"},
    {.name = DESCRIBED "a partition of a placement group",
     .group = "pg-1",
     .partition = 3,
     .has = K "placement-group-id=pg-1 " K "placement-group-partition=3"},
    {.name = "cloud provider: R088: labels of the type",
     .has = "node.kubernetes.io/instance-type=m5.large kubernetes.io/arch=amd64 kubernetes.io/os=linux " K
            "instance-category=m " K "instance-cpu=2 " K "instance-family=m5 " K "instance-generation=5 " K
            "instance-hypervisor=nitro " K "instance-memory=8192 " K "instance-size=large "
            "topology.kubernetes.io/region=us-east-1"},
    {.name = "cloud provider: no labels for what the type has not",
     .lacks = K "instance-gpu-name " K "instance-gpu-count " K "instance-accelerator-count"},
    {.name = "cloud provider: labels of GPUs",
     .type = "g5.xlarge",
     .has = K "instance-gpu-count=1 " K "instance-gpu-manufacturer=nvidia"},
    {.name = "cloud provider: the NodePool of its tags", .has = "karpenter.sh/nodepool=pool"},
    {.name = "cloud provider: R055: capacity",
     .has = "cpu:2000 pods:29",
     .lacks = "nvidia.com/gpu amd.com/gpu habana.ai/gaudi aws.amazon.com/neuron vpc.amazonaws.com/efa"},
    {.name = "cloud provider: GPUs are capacity", .type = "g5.xlarge", .has = "nvidia.com/gpu:1"},
    {.name = "cloud provider: EFA where it is attached",
     .type = "c5n.18xlarge",
     .interface = "efa",
     .has = "vpc.amazonaws.com/efa:1"},
    {.name = "cloud provider: EFA without an address where it is attached",
     .type = "c5n.18xlarge",
     .interface = "efa-only",
     .has = "vpc.amazonaws.com/efa:1"},
    {.name = "cloud provider: no EFA where it is not",
     .type = "c5n.18xlarge",
     .interface = "interface",
     .lacks = "vpc.amazonaws.com/efa"},
    {.name = "cloud provider: a type that is not listed (any more)",
     .with = NO_TYPES,
     .has = "node.kubernetes.io/instance-type=m5.large topology.kubernetes.io/zone=us-east-1a",
     .lacks = "cpu " K "instance-cpu"},
};

static void list_rows(TestCases *cases) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].name, (void *)(uintptr_t)&rows[i]);
}

static Ec2Instance instance_of(Arena *arena, const Row *row) {
    Ec2InstanceReservationSpecification *wanted = arena_new(arena, Ec2InstanceReservationSpecification);
    Ec2InstancePlacement *placement = arena_new(arena, Ec2InstancePlacement);
    Ec2InstanceState *state = arena_new(arena, Ec2InstanceState);
    Ec2Instance instance = {.instance_id = SLICE("i-1"),
                            .image_id = SLICE("ami-1"),
                            .instance_type = slice_of(row->type ? row->type : "m5.large"),
                            .launch_time = aws_time(1000),
                            .state = state,
                            .placement = placement,
                            .spot_instance_request_id = slice_of(row->spot_id),
                            .instance_lifecycle = slice_of(row->lifecycle),
                            .capacity_reservation_id = slice_of(row->reservation),
                            .capacity_reservation_specification = wanted};

    state->name = slice_of(row->state ? row->state : "running");
    wanted->capacity_reservation_preference = slice_of(row->preference);
    placement->availability_zone = slice_of(row->zone ? row->zone : "us-east-1a");
    placement->tenancy = slice_of(row->tenancy);
    placement->group_id = slice_of(row->group);
    if (row->partition)
        placement->partition_number = aws_integer(row->partition);
    if (row->interface)
        vec_push(arena, &instance.network_interfaces, (Ec2InstanceNetworkInterface){slice_of(row->interface)});
    vec_push(arena, &instance.tags, (Ec2Tag){SLICE("karpenter.sh/nodepool"), SLICE("pool")});
    vec_push(arena, &instance.tags, (Ec2Tag){SLICE("karpenter.sh/nodeclaim"), SLICE("claim-1")});
    return instance;
}

static CloudInstance cloud_of(TestClass *test, const Row *row) {
    Ec2Instance instance = instance_of(&test->arena, row);
    InstanceFacts facts = instance_described(&instance, !(row->with & NO_GATE), SLICE("shop"));

    test_type(test, "m5.large");
    return instance_to_cloud(&test->arena, &test->symbols, &facts, row->with & NO_TYPES ? NULL : &test->types,
                             row->with & NO_CLASS ? NULL : &test->class);
}

// From before there were Machines: the Provisioner's name and the cluster's in the key of a tag.
TEST(instances_of_old_are_of_their_provisioner_in_their_cluster) {
    static const struct {
        const char *cluster_key, *cluster_value, *pool;
    } tagged[] = {{"kubernetes.io/cluster/shop", "owned", "provisioner/default"},
                  {"eks:eks-cluster-name", "shop", "provisioner/default"},
                  {"kubernetes.io/cluster/shop-2", "owned", ""},
                  {"eks:eks-cluster-name", "other", ""},
                  {"Name", "shop", ""}};
    TestClass *test = test_class(SUBNETS);

    for (size_t i = 0; i < sizeof tagged / sizeof *tagged; i++) {
        Ec2Instance instance = {.instance_id = SLICE("i-1")};
        InstanceFacts facts;

        vec_push(&test->arena, &instance.tags, (Ec2Tag){SLICE("karpenter.sh/provisioner-name"), SLICE("default")});
        vec_push(&test->arena, &instance.tags,
                 (Ec2Tag){slice_of(tagged[i].cluster_key), slice_of(tagged[i].cluster_value)});
        facts = instance_described(&instance, true, SLICE("shop"));
        assert_string_equal(
            arena_text(
                &test->arena,
                symbol_text(&test->symbols, instance_to_cloud(&test->arena, &test->symbols, &facts, NULL, NULL).pool)),
            tagged[i].pool);
    }
    test_class_free(test);
}

// Labels "key=value", resources "key:amount" (of the capacity), between spaces.
static Slice all_of(TestClass *test, const CloudInstance *instance) {
    Slice text = SLICE(" ");

    for (vec_each(const Label, label, &instance->labels))
        text = arena_printf(&test->arena, "%.*s%.*s=%.*s ", SLICE_ARG(text),
                            SLICE_ARG(symbol_text(&test->symbols, label->key)),
                            SLICE_ARG(symbol_text(&test->symbols, label->value)));
    for (vec_each(const ResourceAmount, amount, &instance->capacity))
        text = arena_printf(&test->arena, "%.*s%.*s:%lld ", SLICE_ARG(text),
                            SLICE_ARG(symbol_text(&test->symbols, amount->resource)), (long long)amount->amount);
    return text;
}

TEST_EACH(const Row, row, instances_have_labels_and_resources, list_rows) {
    TestClass *test = test_class(SUBNETS);
    CloudInstance instance = cloud_of(test, row);
    Slice all = all_of(test, &instance);
    SliceVec has = test_parts(&test->arena, slice_of(row->has), ' ');
    SliceVec lacks = test_parts(&test->arena, slice_of(row->lacks), ' ');

    for (vec_each(const Slice, part, &has)) {
        if (!slice_contains(all, arena_printf(&test->arena, " %.*s ", SLICE_ARG(*part))))
            fail_msg("no %.*s in%.*s", SLICE_ARG(*part), SLICE_ARG(all));
    }
    for (vec_each(const Slice, key, &lacks)) {
        if (slice_contains(all, arena_printf(&test->arena, " %.*s=", SLICE_ARG(*key))) ||
            slice_contains(all, arena_printf(&test->arena, " %.*s:", SLICE_ARG(*key))))
            fail_msg("%.*s in%.*s", SLICE_ARG(*key), SLICE_ARG(all));
    }
    assert_true(all.len > 1 && (row->has || row->lacks));
    test_class_free(test);
}

typedef struct {
    const char *name, *state;
    bool terminating;
} StateRow;

static const StateRow state_rows[] = {
    {DESCRIBED "pending", "pending", false},
    {DESCRIBED "running", "running", false},
    {DESCRIBED "stopping", "stopping", false},
    {DESCRIBED "stopped", "stopped", false},
    {DESCRIBED "R076: shutting down", "shutting-down", true},
    {DESCRIBED "R076: terminated", "terminated", true},
};

static void list_states(TestCases *cases) {
    for (size_t i = 0; i < sizeof state_rows / sizeof *state_rows; i++)
        test_case(cases, state_rows[i].name, (void *)(uintptr_t)&state_rows[i]);
}

TEST_EACH(const StateRow, row, instances_end, list_states) {
    TestClass *test = test_class(SUBNETS);
    CloudInstance instance = cloud_of(test, &(Row){.state = row->state});

    assert_int_equal(instance.terminating, row->terminating);
    test_class_free(test);
}

TEST(R055_a_provider_id_has_zone_and_instance) {
    TestClass *test = test_class(SUBNETS);
    CloudInstance instance = cloud_of(test, &(Row){0});

    assert_true(slice_eq_text(symbol_text(&test->symbols, instance.provider_id), "aws:///us-east-1a/i-1"));
    assert_true(slice_eq_text(symbol_text(&test->symbols, instance.image_id), "ami-1"));
    assert_true(slice_eq_text(symbol_text(&test->symbols, instance.claim_name), "claim-1"));
    assert_true(slice_eq_text(symbol_text(&test->symbols, instance.pool), "pool"));
    assert_int_equal(instance.launched_ns, 1000);
    assert_int_equal(resources_get(&instance.allocatable, NAME_CPU), 1930);
    test_class_free(test);
}

// --- launched

static CloudInstance launched(TestFleet *test, uint32_t group) {
    FleetInstance instance = {.id = SLICE("i-1"),
                              .type = SLICE("m5.large"),
                              .zone = SLICE("a"),
                              .image_id = SLICE("ami-amd"),
                              .group = &test->groups.items[group]};
    InstanceFacts facts = instance_launched(&test->fleet, &instance, 77);

    return instance_to_cloud(&test->launch->arena, &test->launch->symbols, &facts, &test->launch->types,
                             &test->class->class);
}

static const char *label(TestFleet *test, const CloudInstance *instance, const char *key) {
    Symbol value = labels_get(&instance->labels, symbol_intern(&test->launch->symbols, slice_of(key)));

    return value == INDEX_NONE ? "none" : symbol_text(&test->launch->symbols, value).ptr;
}

TEST(cloud_provider_an_instance_just_launched) {
    TestFleet *test = test_fleet("", "m5.large: s:a:1", "");
    CloudInstance instance = launched(test, 0);

    assert_int_equal(instance.launched_ns, 77);
    assert_false(instance.terminating);
    assert_int_equal(instance.capacity_type, NAME_SPOT);
    assert_string_equal(label(test, &instance, "karpenter.sh/nodepool"), "pool");
    assert_string_equal(label(test, &instance, K "capacity-reservation-id"), "none");
    assert_string_equal(label(test, &instance, K "placement-group-partition"), "none");
    test_fleet_free(test);
}

TEST(cloud_provider_an_instance_launched_into_a_reservation) {
    TestFleet *test = test_fleet("", "m5.large: r:a:1:cr-1:3:int", "");
    CloudInstance instance = launched(test, 0);

    assert_int_equal(instance.capacity_type, NAME_RESERVED);
    assert_string_equal(label(test, &instance, K "capacity-reservation-id"), "cr-1");
    assert_string_equal(label(test, &instance, K "capacity-reservation-interruptible"), "true");
    test_fleet_free(test);
}

TEST(cloud_provider_a_partition_that_ec2_chooses_is_an_empty_label) {
    TestFleet *test = test_fleet("", "m5.large: s:a:1", "");
    CloudInstance instance;

    test->fleet.placement_group_id = SLICE("pg-1");
    test->fleet.has_partitions = true;
    instance = launched(test, 0);
    assert_string_equal(label(test, &instance, K "placement-group-partition"), "");
    test->fleet.partition = 2;
    instance = launched(test, 0);
    assert_string_equal(label(test, &instance, K "placement-group-partition"), "2");
    test_fleet_free(test);
}

TEST(cloud_provider_efa_of_an_instance_just_launched) {
    TestFleet *test = test_fleet("", "m5.large efa=2: s:a:1", "");
    Symbol efa = symbol_intern(&test->launch->symbols, SLICE("vpc.amazonaws.com/efa"));
    CloudInstance instance = launched(test, 0);

    assert_false(resources_has(&instance.capacity, efa));
    test->groups.items[0].key.efa_count = 2;
    instance = launched(test, 0);
    assert_int_equal(resources_get(&instance.capacity, efa), 2);
    test_fleet_free(test);
}

// --- requests

static const char *body_of(Arena *arena, const Ec2DescribeInstancesInput *input) {
    AwsMessage message;

    assert_int_equal(aws_write(arena, &ec2_describe_instances, input, &message, NULL), OK);
    return arena_text(arena, message.body);
}

#define STATES(n)                                                                                                      \
    "Filter." #n ".Name=instance-state-name&Filter." #n ".Value.1=pending&Filter." #n ".Value.2=running&Filter." #n    \
    ".Value.3=stopping&Filter." #n ".Value.4=stopped&Filter." #n ".Value.5=shutting-down"

TEST(instances_and_filters_lists_are_by_tags) {
    Arena arena = {0};
    Ec2DescribeInstancesInput input = instances_list(&arena, SLICE("c"));

    assert_non_null(strstr(body_of(&arena, &input),
                           "Filter.1.Name=tag-key&Filter.1.Value.1=karpenter.sh%2Fnodepool&Filter.2.Name=tag-key&"
                           "Filter.2.Value.1=karpenter.k8s.aws%2Fec2nodeclass&Filter.3.Name=tag%3Aeks%3Aeks-cluster-"
                           "name&Filter.3.Value.1=c&" STATES(4) "&MaxResults=1000"));
    arena_free(&arena);
}

TEST(instances_of_a_launch_are_found_by_its_token_in_any_state) {
    Arena arena = {0};
    Ec2DescribeInstancesInput input = instances_of_launch(&arena, SLICE("c"), SLICE("0123"));
    const char *body = body_of(&arena, &input);

    assert_non_null(strstr(body, "Filter.2.Name=tag%3Atenon.sh%2Flaunch&Filter.2.Value.1=0123"));
    assert_null(strstr(body, "instance-state-name"));
    arena_free(&arena);
}
