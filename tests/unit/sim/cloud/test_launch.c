// Launches in the simulated cloud: the choice of a pool, no capacity, and idempotence.
#include "sim/support/cloudlet.h"

#include <stdio.h>

#define M5_LARGE  "{key: node.kubernetes.io/instance-type, operator: In, values: [m5.large]}"
#define ON_DEMAND "{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}"
#define SPOT      "{key: karpenter.sh/capacity-type, operator: In, values: [spot]}"
#define ZONE_A    "{key: topology.kubernetes.io/zone, operator: In, values: [us-east-1a]}"

static SimFilter filter(const char *type, const char *zone, const char *capacity_type) {
    return (SimFilter){slice_of(type), slice_of(zone), slice_of(capacity_type)};
}

TEST(an_instance_is_what_the_claim_asked_for) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0});
    Symbols *symbols = state_symbols(cloudlet->state);
    const NodeClaim *claim = cloudlet_claim(cloudlet, M5_LARGE ", " ON_DEMAND ", " ZONE_A, "1");
    CloudInstance instance;

    assert_int_equal(cloudlet_launch(cloudlet, claim, &instance, NULL), OK);
    assert_symbol(symbols, instance.instance_type, "m5.large");
    assert_symbol(symbols, instance.zone, "us-east-1a");
    assert_symbol(symbols, instance.capacity_type, "on-demand");
    assert_int_equal(instance.claim_name, claim->meta.name);
    assert_symbol(symbols, instance.pool, "general");
    assert_true(slice_starts_with(symbol_text(symbols, instance.provider_id), SLICE("aws:///us-east-1a/i-0")));
    assert_int_equal(resources_get(&instance.capacity, NAME_CPU), 2000);
    assert_true(resources_get(&instance.allocatable, NAME_CPU) < 2000);
    assert_symbol(symbols, labels_get(&instance.labels, NAME_ARCH), "amd64");
    assert_symbol(symbols, labels_get(&instance.labels, NAME_ZONE), "us-east-1a");
    assert_symbol(symbols, labels_get(&instance.labels, NAME_NODEPOOL), "general");
    assert_symbol(symbols, labels_get(&instance.labels, cloudlet_symbol(cloudlet, "karpenter.k8s.aws/instance-family")),
                  "m5");
    assert_int_equal(instance.launched_ns, world_now_ns(cloudlet->world));
    cloudlet_free(cloudlet);
}

TEST(on_demand_takes_the_cheapest_type_that_fits) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0});
    const InstanceTypeVec *types = cloudlet_types(cloudlet);
    const NodeClaim *claim = cloudlet_claim(cloudlet, ON_DEMAND, "7");
    const Symbols *symbols = state_symbols(cloudlet->state);
    CloudInstance instance;
    double paid = 0, cheapest = 1e9;

    assert_int_equal(cloudlet_launch(cloudlet, claim, &instance, NULL), OK);
    for (vec_each(const InstanceType, type, types)) {
        Resources room = instance_type_allocatable(&cloudlet->arena, symbols, type, NULL);

        for (vec_each(const Offering, offering, &type->offerings)) {
            if (offering->capacity_type != NAME_ON_DEMAND || !offering->available)
                continue;
            if (type->name == instance.instance_type && offering->zone == instance.zone)
                paid = offering->price_per_hour;
            if (resources_fit(&claim->requests, &room) && offering->price_per_hour < cheapest)
                cheapest = offering->price_per_hour;
        }
    }
    assert_true(paid == cheapest);
    assert_true(resources_get(&instance.allocatable, NAME_CPU) >= 7000);
    cloudlet_free(cloudlet);
}

TEST(equal_prices_are_spread_over_zones) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){.unthrottled = true});
    uint32_t zones = 0;
    Symbol seen[8];

    for (uint32_t i = 0; i < 40; i++) {
        Symbol zone = cloudlet_instance(cloudlet, cloudlet_one(cloudlet, M5_LARGE ", " ON_DEMAND))->zone;
        bool known = false;

        for (uint32_t z = 0; z < zones; z++)
            known |= seen[z] == zone;
        if (!known)
            seen[zones++] = zone;
    }
    assert_true(zones >= 4);
    cloudlet_free(cloudlet);
}

TEST(spot_comes_before_on_demand_and_reserved_before_both) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0});
    uint32_t number = cloudlet_one(cloudlet, "{key: karpenter.sh/capacity-type, operator: In, values: [spot, "
                                             "on-demand]}, " M5_LARGE);

    assert_int_equal(cloudlet_instance(cloudlet, number)->capacity_type, NAME_SPOT);
    sim_cloud_reserve(cloudlet->cloud, SLICE("cr-1"), SLICE("m5.large"), SLICE("us-east-1a"), 1);
    cluster_patch(cloudlet->world, KUBE_EC2_NODE_CLASS, "", "default", KUBE_STATUS,
                  "{status: {capacityReservations: [{id: cr-1, availabilityZone: us-east-1a, instanceType: m5.large, "
                  "ownerID: '1', instanceMatchCriteria: targeted, reservationType: default, state: active}]}}");
    world_settle(cloudlet->world);
    assert_int_equal(cloudlet_offering(cloudlet, "m5.large", "us-east-1a", "reserved")->reservation_capacity, 1);
    number = cloudlet_one(cloudlet, M5_LARGE ", {key: karpenter.sh/capacity-type, operator: Exists}");
    assert_int_equal(cloudlet_instance(cloudlet, number)->capacity_type, NAME_RESERVED);
    assert_symbol(world_symbols(cloudlet->world), cloudlet_instance(cloudlet, number)->reservation_id, "cr-1");
    assert_false(cloudlet_offering(cloudlet, "m5.large", "us-east-1a", "reserved")->available); // it is full
    number = cloudlet_one(cloudlet, M5_LARGE ", {key: karpenter.sh/capacity-type, operator: Exists}");
    assert_int_equal(cloudlet_instance(cloudlet, number)->capacity_type, NAME_SPOT);
    cloudlet_free(cloudlet);
}

// Of pools of about equal depth the cheapest is used; a cheap one that is nearly empty is not.
TEST(spot_weighs_depth_and_price) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0});
    const char *both =
        "{key: node.kubernetes.io/instance-type, operator: In, values: [m5.large, m5.xlarge]}, " SPOT ", " ZONE_A;
    uint32_t number;

    sim_cloud_fault_left(cloudlet->cloud, filter("m5.large", "us-east-1a", "spot"), 70);
    sim_cloud_fault_left(cloudlet->cloud, filter("m5.xlarge", "us-east-1a", "spot"), 90);
    number = cloudlet_one(cloudlet, both);
    assert_symbol(world_symbols(cloudlet->world), cloudlet_instance(cloudlet, number)->instance_type, "m5.large");
    sim_cloud_fault_left(cloudlet->cloud, filter("m5.large", "us-east-1a", "spot"), 3);
    number = cloudlet_one(cloudlet, both);
    assert_symbol(world_symbols(cloudlet->world), cloudlet_instance(cloudlet, number)->instance_type, "m5.xlarge");
    cloudlet_free(cloudlet);
}

TEST(one_claim_is_one_instance_however_often_it_is_asked_for) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0});
    const NodeClaim *claim = cloudlet_claim(cloudlet, M5_LARGE, "1");
    CloudInstance first, again;

    assert_int_equal(cloudlet_launch(cloudlet, claim, &first, NULL), OK);
    cluster_run(cloudlet->world, MINUTES(3));
    // The process died and came back with other symbols: the cloud knows the claim's uid.
    sim_view_free(cloudlet->view);
    cloudlet->view = sim_view_new(cloudlet->cloud, state_symbols(cloudlet->state));
    cloudlet->table = sim_view_cloud(cloudlet->view);
    assert_int_equal(cloudlet_launch(cloudlet, claim, &again, NULL), OK);
    assert_int_equal(first.provider_id, again.provider_id);
    assert_int_equal(sim_cloud_instance_count(cloudlet->cloud), 1);
    cloudlet_free(cloudlet);
}

// --- no capacity

TEST(without_capacity_the_next_cheapest_is_taken_and_the_first_is_marked_for_three_minutes) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0});
    const char *both =
        "{key: node.kubernetes.io/instance-type, operator: In, values: [m5.large, m5.xlarge]}, " ON_DEMAND ", " ZONE_A;
    const InstanceTypeVec *before = cloudlet_types(cloudlet), *marked;
    uint32_t number;

    assert_ptr_equal(before, cloudlet_types(cloudlet)); // nothing changed
    assert_int_equal(sim_cloud_fault_ice(cloudlet->cloud, filter("m5.large", "us-east-1a", ""), true), 2);
    assert_true(cloudlet_offering(cloudlet, "m5.large", "us-east-1a", "on-demand")->available); // not known yet
    assert_ptr_equal(before, cloudlet_types(cloudlet));
    number = cloudlet_one(cloudlet, both);
    assert_symbol(world_symbols(cloudlet->world), cloudlet_instance(cloudlet, number)->instance_type, "m5.xlarge");
    marked = cloudlet_types(cloudlet);
    assert_ptr_not_equal(before, marked);
    assert_false(cloudlet_offering(cloudlet, "m5.large", "us-east-1a", "on-demand")->available);
    assert_true(cloudlet_offering(cloudlet, "m5.large", "us-east-1a", "spot")->available);
    assert_true(cloudlet_offering(cloudlet, "m5.large", "us-east-1b", "on-demand")->available);
    cluster_run(cloudlet->world, MINUTES(3) - 1);
    assert_ptr_equal(marked, cloudlet_types(cloudlet));
    cluster_run(cloudlet->world, 1);
    assert_true(cloudlet_offering(cloudlet, "m5.large", "us-east-1a", "on-demand")->available);
    cloudlet_free(cloudlet);
}

TEST(no_capacity_anywhere_says_so_with_the_providers_words) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0});
    CloudInstance instance;
    CloudError error = {0};
    uint64_t calls;

    sim_cloud_fault_ice(cloudlet->cloud, filter("", "", ""), true);
    assert_int_equal(
        cloudlet_launch(cloudlet, cloudlet_claim(cloudlet, M5_LARGE ", " SPOT ", " ZONE_A, "1"), &instance, &error),
        ERR_CAPACITY);
    assert_string_equal(error.err.text, "with fleet error(s), InsufficientInstanceCapacity: no spot capacity for "
                                        "m5.large in us-east-1a");
    calls = sim_cloud_api_count(cloudlet->cloud, SIM_API_CREATE_FLEET).calls;
    assert_int_equal(calls, 1);
    // Now it is known, so EC2 is not called again.
    assert_int_equal(
        cloudlet_launch(cloudlet, cloudlet_claim(cloudlet, M5_LARGE ", " SPOT ", " ZONE_A, "1"), &instance, &error),
        ERR_CAPACITY);
    assert_string_equal(error.err.text, "all requested instance types were unavailable during launch");
    assert_int_equal(sim_cloud_api_count(cloudlet->cloud, SIM_API_CREATE_FLEET).calls, calls);
    assert_int_equal(sim_cloud_instance_count(cloudlet->cloud), 0);
    cloudlet_free(cloudlet);
}

TEST(a_pool_gives_as_many_as_it_has_left) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){.unthrottled = true});
    CloudInstance instance;

    sim_cloud_fault_left(cloudlet->cloud, filter("m5.large", "us-east-1a", "on-demand"), 2);
    cloudlet_one(cloudlet, M5_LARGE ", " ON_DEMAND ", " ZONE_A);
    cloudlet_one(cloudlet, M5_LARGE ", " ON_DEMAND ", " ZONE_A);
    assert_int_equal(sim_cloud_left(cloudlet->cloud, SLICE("m5.large"), SLICE("us-east-1a"), SLICE("on-demand")), 0);
    assert_int_equal(
        cloudlet_launch(cloudlet, cloudlet_claim(cloudlet, M5_LARGE ", " ON_DEMAND ", " ZONE_A, "1"), &instance, NULL),
        ERR_CAPACITY);
    cloudlet_free(cloudlet);
}

// The random process: depths differ between pools, change with time, and instances in use reduce them.
TEST(depths_move_with_time) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){.spot_depth = 40});
    int64_t least = INT64_MAX, most = 0, changes = 0, before = -1;

    for (uint32_t hour = 0; hour < 48; hour++) {
        int64_t left = sim_cloud_left(cloudlet->cloud, SLICE("m5.large"), SLICE("us-east-1a"), SLICE("spot"));

        changes += left != before;
        before = left;
        least = left < least ? left : least;
        most = left > most ? left : most;
        cluster_run(cloudlet->world, MINUTES(60));
    }
    assert_true(changes > 20);
    assert_true(least >= 0 && most <= 40 * 4 * 12 / 10);
    assert_true(most > least);
    assert_int_equal(sim_cloud_left(cloudlet->cloud, SLICE("m5.large"), SLICE("us-east-1a"), SLICE("on-demand")),
                     UINT32_MAX);
    cloudlet_free(cloudlet);
}

// --- NodeClasses

TEST(the_cloud_says_that_node_classes_are_ready) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0});
    const EC2NodeClass *class = state_ec2_node_class(world_state(cloudlet->world),
                                                     cluster_find(cloudlet->world, KUBE_EC2_NODE_CLASS, "", "default"));
    const Condition *ready = condition_get(&class->conditions, world_symbols(cloudlet->world), SLICE("Ready"));

    assert_non_null(ready);
    assert_symbol(world_symbols(cloudlet->world), ready->status, "True");
    assert_int_equal(class->subnets.count, 6);
    cloudlet_free(cloudlet);
}

TEST(a_node_class_that_is_not_ready_launches_nothing) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){.leaves_node_classes = true});
    const NodeClaim *claim = cloudlet_claim(cloudlet, M5_LARGE, "1");
    CloudInstance instance;
    CloudError error = {0};

    cluster_patch(cloudlet->world, KUBE_EC2_NODE_CLASS, "", "default", KUBE_STATUS,
                  "{status: {conditions: [{type: Ready, status: 'False', reason: X, message: '', lastTransitionTime: "
                  "'2026-01-05T00:00:00Z'}]}}");
    world_settle(cloudlet->world);
    assert_int_equal(cloudlet_launch(cloudlet, claim, &instance, &error), ERR_DENIED);
    assert_true(error.class_not_ready);
    cluster_patch(cloudlet->world, KUBE_EC2_NODE_CLASS, "", "default", KUBE_STATUS,
                  "{status: {conditions: [{type: Ready, status: Unknown, reason: X, message: '', lastTransitionTime: "
                  "'2026-01-05T00:00:00Z'}]}}");
    world_settle(cloudlet->world);
    error = (CloudError){0};
    assert_int_equal(cloudlet_launch(cloudlet, claim, &instance, &error), ERR_IO);
    assert_string_equal(error.reason, "NodeClassReadinessUnknown");
    cluster_delete(cloudlet->world, KUBE_EC2_NODE_CLASS, "", "default");
    world_settle(cloudlet->world);
    error = (CloudError){0};
    assert_int_equal(cloudlet_launch(cloudlet, claim, &instance, &error), ERR_CAPACITY);
    assert_int_equal(error.err.code, ERR_CAPACITY);
    assert_null(cloudlet_types(cloudlet));
    cloudlet_free(cloudlet);
}

TEST(kwok_node_classes_give_kwok_types) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0});
    Handle handle;

    cluster_create(cloudlet->world,
                   "{apiVersion: karpenter.kwok.sh/v1alpha1, kind: KWOKNodeClass, metadata: {name: k}}");
    cluster_delete(cloudlet->world, KUBE_NODE_POOL, "", "general");
    cluster_create(cloudlet->world, "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: general}, spec: "
                                    "{template: {spec: {requirements: [], nodeClassRef: {group: karpenter.kwok.sh, "
                                    "kind: KWOKNodeClass, name: k}}}}}");
    world_settle(cloudlet->world);
    assert_int_equal(cloudlet_types(cloudlet)->count, 144);
    handle = cluster_find(cloudlet->world, KUBE_KWOK_NODE_CLASS, "", "k");
    assert_non_null(condition_get(&state_kwok_node_class(world_state(cloudlet->world), handle)->conditions,
                                  world_symbols(cloudlet->world), SLICE("Ready")));
    cloudlet_free(cloudlet);
}
