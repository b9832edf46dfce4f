// NodeClasses in the simulated cloud: the status that it writes while no controller does, how it uses an existing
// status (aws.md 1.2, 1.3, 3.1), and the offerings of a launch (aws.md 3.2, lifecycle.md 8).
#include "sim/support/cloudlet.h"

#include <stdio.h>

#define ON_DEMAND "{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}"
#define BOTH      "{key: karpenter.sh/capacity-type, operator: In, values: [spot, on-demand]}"

static const EC2NodeClass *class_of(const Cloudlet *cloudlet) {
    return state_ec2_node_class(world_state(cloudlet->world),
                                cluster_find(cloudlet->world, KUBE_EC2_NODE_CLASS, "", "default"));
}

static const Condition *condition_of(const Cloudlet *cloudlet, const char *type) {
    return condition_get(&class_of(cloudlet)->conditions, world_symbols(cloudlet->world), slice_of(type));
}

static void patch_ready(Cloudlet *cloudlet, const char *status, int64_t generation) {
    char text[256];

    snprintf(text, sizeof text,
             "{status: {conditions: [{type: Ready, status: '%s', reason: Mine, message: '', lastTransitionTime: "
             "'2026-01-05T00:00:00Z', observedGeneration: %d}]}}",
             status, (int)generation);
    cluster_patch(cloudlet->world, KUBE_EC2_NODE_CLASS, "", "default", KUBE_STATUS, text);
    world_settle(cloudlet->world);
}

static ErrCode try_launch(Cloudlet *cloudlet, const char *requirements, CloudError *error) {
    CloudInstance instance;

    return cloudlet_launch(cloudlet, cloudlet_claim(cloudlet, requirements, "100m"), &instance, error);
}

// --- the status

TEST(all_conditions_are_written_with_their_generation) {
    static const char *const types[] = {"AMIsReady",
                                        "InstanceProfileReady",
                                        "PlacementGroupReady",
                                        "SecurityGroupsReady",
                                        "SubnetsReady",
                                        "ValidationSucceeded",
                                        "Ready"};
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0});
    const Symbols *symbols = world_symbols(cloudlet->world);

    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const Condition *condition = condition_of(cloudlet, types[i]);

        assert_non_null(condition);
        assert_symbol(symbols, condition->status, "True");
        assert_symbol(symbols, condition->reason, types[i]);
        assert_int_equal(condition->observed_generation, class_of(cloudlet)->meta.generation);
        assert_int_equal(condition->transition_ns, world_now_ns(cloudlet->world));
    }
    assert_symbol(symbols, vec_last(&class_of(cloudlet)->conditions)->type, "Ready"); // the root is last
    cloudlet_free(cloudlet);
}

TEST(a_change_of_the_spec_is_acknowledged) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0});

    cluster_patch(cloudlet->world, KUBE_EC2_NODE_CLASS, "", "default", KUBE_OBJECT, "{spec: {tags: {a: b}}}");
    world_settle(cloudlet->world);
    assert_int_equal(class_of(cloudlet)->meta.generation, 2);
    assert_int_equal(condition_of(cloudlet, "Ready")->observed_generation, 2);
    cloudlet_free(cloudlet);
}

TEST(conditions_of_others_stay) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0});

    patch_ready(cloudlet, "False", 1);
    assert_symbol(world_symbols(cloudlet->world), condition_of(cloudlet, "Ready")->reason, "Mine");
    cluster_patch(cloudlet->world, KUBE_EC2_NODE_CLASS, "", "default", KUBE_OBJECT, "{spec: {tags: {a: b}}}");
    cluster_run(cloudlet->world, MINUTES(10));
    assert_symbol(world_symbols(cloudlet->world), condition_of(cloudlet, "Ready")->status, "False");
    cloudlet_free(cloudlet);
}

TEST(nothing_is_written_where_it_is_left_to_others) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){.leaves_node_classes = true});
    CloudError error = {0};

    cluster_run(cloudlet->world, MINUTES(10));
    assert_null(condition_of(cloudlet, "Ready"));
    assert_int_equal(try_launch(cloudlet, ON_DEMAND, &error), ERR_IO); // its readiness is unknown: to be tried again
    assert_string_equal(error.reason, "NodeClassReadinessUnknown");
    patch_ready(cloudlet, "True", 1);
    assert_int_equal(try_launch(cloudlet, ON_DEMAND, NULL), OK);
    cloudlet_free(cloudlet);
}

TEST(readiness_of_an_older_generation_is_none) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){.leaves_node_classes = true});
    CloudError error = {0};

    patch_ready(cloudlet, "True", 1);
    cluster_patch(cloudlet->world, KUBE_EC2_NODE_CLASS, "", "default", KUBE_OBJECT, "{spec: {tags: {a: b}}}");
    world_settle(cloudlet->world);
    assert_int_equal(try_launch(cloudlet, ON_DEMAND, &error), ERR_DENIED);
    assert_true(error.class_not_ready);
    patch_ready(cloudlet, "True", 2);
    assert_int_equal(try_launch(cloudlet, ON_DEMAND, NULL), OK);
    cloudlet_free(cloudlet);
}

// A finalizer keeps it, but nothing is launched from it any more.
TEST(a_node_class_that_is_being_deleted_is_gone) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0});
    CloudError error = {0};

    cluster_patch(cloudlet->world, KUBE_EC2_NODE_CLASS, "", "default", KUBE_OBJECT,
                  "{metadata: {finalizers: [karpenter.k8s.aws/termination]}}");
    cluster_delete(cloudlet->world, KUBE_EC2_NODE_CLASS, "", "default");
    world_settle(cloudlet->world);
    assert_true(class_of(cloudlet)->meta.deleting);
    assert_int_equal(try_launch(cloudlet, ON_DEMAND, &error), ERR_CAPACITY);
    assert_string_equal(error.err.text, "EC2NodeClass.karpenter.k8s.aws \"default\" not found");
    assert_null(cloudlet_types(cloudlet));
    cloudlet_free(cloudlet);
}

TEST(a_node_class_of_the_same_name_is_another) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0});

    assert_non_null(cloudlet_types(cloudlet));
    cluster_delete(cloudlet->world, KUBE_EC2_NODE_CLASS, "", "default");
    world_settle(cloudlet->world);
    assert_null(cloudlet_types(cloudlet));
    cluster_create(cloudlet->world, "{apiVersion: karpenter.k8s.aws/v1, kind: EC2NodeClass, metadata: {name: default}, "
                                    "spec: {kubelet: {maxPods: 5}, amiSelectorTerms: [{alias: al2023@latest}], role: "
                                    "r, subnetSelectorTerms: [{id: subnet-1}], securityGroupSelectorTerms: [{id: "
                                    "sg-1}]}}");
    world_settle(cloudlet->world);
    assert_int_equal(resources_get(&cloudlet_types(cloudlet)->items[0].capacity, NAME_PODS), 5);
    assert_int_equal(try_launch(cloudlet, ON_DEMAND, NULL), OK);
    cloudlet_free(cloudlet);
}

TEST(subnets_decide_which_zones_there_are) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){.unthrottled = true});

    cluster_patch(cloudlet->world, KUBE_EC2_NODE_CLASS, "", "default", KUBE_STATUS,
                  "{status: {subnets: [{id: subnet-9, zone: us-east-1b, zoneID: use1-az4}]}}");
    world_settle(cloudlet->world);
    for (uint32_t i = 0; i < 20; i++)
        assert_symbol(world_symbols(cloudlet->world),
                      cloudlet_instance(cloudlet, cloudlet_one(cloudlet, ON_DEMAND))->zone, "us-east-1b");
    cloudlet_free(cloudlet);
}

// --- offerings of a launch

TEST(accelerators_and_metal_are_a_last_resort) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0});
    uint32_t number =
        cloudlet_one(cloudlet, ON_DEMAND ", {key: karpenter.k8s.aws/instance-family, operator: In, values: [g4dn]}");

    assert_int_not_equal(resources_get(&cloudlet_instance(cloudlet, number)->capacity,
                                       symbol_find(world_symbols(cloudlet->world), SLICE("nvidia.com/gpu"))),
                         0);
    // m5.metal is the cheapest by far, and not used.
    sim_cloud_fault_price(cloudlet->cloud, (SimFilter){.type = SLICE("m5.metal")}, 1);
    number = cloudlet_one(cloudlet, ON_DEMAND ", {key: karpenter.k8s.aws/instance-family, operator: In, values: [m5]}");
    assert_symbol(world_symbols(cloudlet->world), cloudlet_instance(cloudlet, number)->instance_type, "m5.large");
    number = cloudlet_one(cloudlet, ON_DEMAND
                          ", {key: karpenter.k8s.aws/instance-family, operator: In, values: [m5], minValues: 1}");
    assert_symbol(world_symbols(cloudlet->world), cloudlet_instance(cloudlet, number)->instance_type, "m5.metal");
    cloudlet_free(cloudlet);
}

TEST(spot_dearer_than_on_demand_is_not_asked_for) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0});
    const char *m5 = "{key: node.kubernetes.io/instance-type, operator: In, values: [m5.large]}, " BOTH;

    assert_int_equal(cloudlet_instance(cloudlet, cloudlet_one(cloudlet, m5))->capacity_type, NAME_SPOT);
    sim_cloud_fault_price(cloudlet->cloud, (SimFilter){.type = SLICE("m5.large"), .capacity_type = SLICE("spot")}, 900);
    assert_int_equal(cloudlet_instance(cloudlet, cloudlet_one(cloudlet, m5))->capacity_type, NAME_ON_DEMAND);
    cloudlet_free(cloudlet);
}

// The number of types with an available on-demand offering.
static uint32_t count_types(Cloudlet *cloudlet) {
    uint32_t count = 0;

    for (vec_each(const InstanceType, type, cloudlet_types(cloudlet))) {
        bool any = false;

        for (vec_each(const Offering, offering, &type->offerings))
            any |= offering->available && offering->capacity_type == NAME_ON_DEMAND;
        count += any;
    }
    return count;
}

// A launch requests the sixty cheapest types: if they have no capacity it fails, though others have.
TEST(no_more_than_sixty_types_are_asked_for) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0});
    uint32_t before = count_types(cloudlet);

    sim_cloud_fault_ice(cloudlet->cloud, (SimFilter){0}, true);
    assert_int_equal(try_launch(cloudlet, ON_DEMAND, NULL), ERR_CAPACITY);
    assert_int_equal(count_types(cloudlet), before - 60);
    sim_cloud_fault_ice(cloudlet->cloud, (SimFilter){0}, false);
    assert_int_equal(try_launch(cloudlet, ON_DEMAND, NULL), OK); // the next sixty
    cloudlet_free(cloudlet);
}

TEST(too_few_values_are_no_capacity) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0});
    const char *two = "{key: node.kubernetes.io/instance-type, operator: In, values: [m5.large, c5.large], minValues: "
                      "2}, {key: karpenter.k8s.aws/instance-family, operator: In, values: [m5, c5, r5], minValues: 2}",
               *three = "{key: node.kubernetes.io/instance-type, operator: In, values: [m5.large, c5.large]}, {key: "
                        "karpenter.k8s.aws/instance-family, operator: In, values: [m5, c5, r5], minValues: 3}";

    assert_int_equal(try_launch(cloudlet, two, NULL), OK);
    assert_int_equal(try_launch(cloudlet, three, NULL), ERR_CAPACITY);
    cloudlet_free(cloudlet);
}

// lifecycle.md 8: the cheapest of all, whatever its capacity type.
TEST(kwok_takes_the_cheapest_of_all) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0});
    Symbols *symbols = state_symbols(cloudlet->state);
    CloudInstance instance;
    NodeClaim claim;

    cluster_create(cloudlet->world,
                   "{apiVersion: karpenter.kwok.sh/v1alpha1, kind: KWOKNodeClass, metadata: {name: k}}");
    world_settle(cloudlet->world);
    claim = *cloudlet_claim(cloudlet, BOTH, "1500m");
    claim.spec.node_class = (NodeClassRef){.group = cloudlet_symbol(cloudlet, "karpenter.kwok.sh"),
                                           .kind = cloudlet_symbol(cloudlet, "KWOKNodeClass"),
                                           .name = cloudlet_symbol(cloudlet, "k")};
    assert_int_equal(cloudlet_launch(cloudlet, &claim, &instance, NULL), OK);
    assert_true(slice_starts_with(symbol_text(symbols, instance.instance_type), SLICE("c-2x-")));
    assert_int_equal(instance.capacity_type, NAME_SPOT);
    assert_true(slice_starts_with(symbol_text(symbols, instance.provider_id), SLICE("kwok://kwok-general-0-")));
    sim_cloud_fault_price(cloudlet->cloud, (SimFilter){.type = SLICE("c-2x-*"), .capacity_type = SLICE("spot")}, 300);
    sim_cloud_fault_price(cloudlet->cloud, (SimFilter){.type = SLICE("s-2x-*"), .capacity_type = SLICE("spot")}, 300);
    claim.meta.uid = cloudlet_symbol(cloudlet, "another");
    assert_int_equal(cloudlet_launch(cloudlet, &claim, &instance, NULL), OK);
    assert_true(slice_starts_with(symbol_text(symbols, instance.instance_type), SLICE("m-2x-")) ||
                instance.capacity_type == NAME_ON_DEMAND);
    cloudlet_free(cloudlet);
}
