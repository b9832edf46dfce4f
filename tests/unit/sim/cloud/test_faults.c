// Faults of the simulated cloud and its capacity pools: prices, instances left, no capacity.
// Interruptions, deaths and what drifts are in test_life.c, throttling in test_limits.c.
#include "sim/cloud/account.h"
#include "sim/support/cloudlet.h"

#define M5_LARGE  "{key: node.kubernetes.io/instance-type, operator: In, values: [m5.large]}"
#define ON_DEMAND M5_LARGE ", {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}"
#define SPOT      M5_LARGE ", {key: karpenter.sh/capacity-type, operator: In, values: [spot]}"
#define ZONE_A    "{key: topology.kubernetes.io/zone, operator: In, values: [us-east-1a]}"

static SimFilter filter(const char *type, const char *zone, const char *capacity_type) {
    return (SimFilter){slice_of(type), slice_of(zone), slice_of(capacity_type)};
}

static int64_t price(Cloudlet *cloudlet, const char *type, const char *zone, const char *capacity_type) {
    return sim_cloud_price(cloudlet->cloud, slice_of(type), slice_of(zone), slice_of(capacity_type));
}

static int64_t left(Cloudlet *cloudlet, const char *type, const char *zone, const char *capacity_type) {
    return sim_cloud_left(cloudlet->cloud, slice_of(type), slice_of(zone), slice_of(capacity_type));
}

static ErrCode try_launch(Cloudlet *cloudlet, const char *requirements) {
    CloudInstance instance;

    return cloudlet_launch(cloudlet, cloudlet_claim(cloudlet, requirements, "100m"), &instance, NULL);
}

// --- the market

TEST(the_market_begins_with_the_catalogues_prices) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0});

    assert_int_equal(price(cloudlet, "m5.large", "us-east-1a", "on-demand"), 96000000);
    assert_int_equal(price(cloudlet, "m5.large", "us-east-1f", "on-demand"), 96000000);
    assert_true(price(cloudlet, "m5.large", "us-east-1a", "spot") < 96000000);
    assert_int_equal(left(cloudlet, "m5.large", "us-east-1a", "on-demand"), UINT32_MAX);
    assert_int_equal(price(cloudlet, "m5.largest", "us-east-1a", "spot"), -1);
    assert_int_equal(price(cloudlet, "m5.large", "us-east-2a", "spot"), -1);
    assert_int_equal(left(cloudlet, "m5.large", "us-east-1a", "gift"), -1);
    cloudlet_free(cloudlet);
}

// The depth of a pool depends on the seed and the pool, not on requests to other pools.
TEST(depths_belong_to_the_seed_and_the_pool) {
    SimCloudConfig config = {.spot_depth = 40, .price_step_ns = MINUTES(10), .price_swing_percent = 40};
    Cloudlet *one = cloudlet_new(1, config), *again = cloudlet_new(1, config), *other = cloudlet_new(2, config);
    const char *const zones[] = {"us-east-1a", "us-east-1b", "us-east-1c", "us-east-1d", "us-east-1f"};
    uint32_t differ = 0;

    for (uint32_t i = 0; i < 20; i++)
        cloudlet_one(again, ON_DEMAND);
    cluster_run(one->world, MINUTES(100));
    cluster_run(again->world, MINUTES(100));
    cluster_run(other->world, MINUTES(100));
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(left(one, "m5.large", zones[i], "spot"), left(again, "m5.large", zones[i], "spot"));
        assert_int_equal(price(one, "m5.large", zones[i], "spot"), price(again, "m5.large", zones[i], "spot"));
        differ += price(one, "m5.large", zones[i], "spot") != price(other, "m5.large", zones[i], "spot");
    }
    assert_true(differ >= 4);
    assert_int_not_equal(price(one, "m5.large", "us-east-1a", "spot"), price(one, "m5.large", "us-east-1b", "spot"));
    cloudlet_free(one);
    cloudlet_free(again);
    cloudlet_free(other);
}

TEST(what_is_used_is_not_left) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){.on_demand_depth = 1000});
    int64_t before = left(cloudlet, "m5.large", "us-east-1a", "on-demand");
    uint32_t number = cloudlet_one(cloudlet, ON_DEMAND ", " ZONE_A);

    assert_int_equal(left(cloudlet, "m5.large", "us-east-1a", "on-demand"), before - 1);
    sim_cloud_fault_kill(cloudlet->cloud, number, SIM_DEATH_TERMINATED);
    assert_int_equal(left(cloudlet, "m5.large", "us-east-1a", "on-demand"), before);
    cloudlet_free(cloudlet);
}

// --- faults of the market

TEST(a_filter_says_how_many_pools_it_is_about) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0});
    uint32_t all = sim_cloud_fault_ice(cloudlet->cloud, filter("", "", ""), false), zone = 0;
    const char *const zones[] = {"us-east-1a", "us-east-1b", "us-east-1c", "us-east-1d", "us-east-1e", "us-east-1f"};

    assert_int_equal(sim_cloud_fault_ice(cloudlet->cloud, filter("m5.large", "us-east-1a", "spot"), false), 1);
    assert_int_equal(sim_cloud_fault_ice(cloudlet->cloud, filter("m5.large", "us-east-1a", ""), false), 2);
    assert_int_equal(sim_cloud_fault_ice(cloudlet->cloud, filter("m5.large", "", "spot"), false), 6);
    assert_int_equal(sim_cloud_fault_ice(cloudlet->cloud, filter("m5", "", ""), false), 0);
    assert_true(sim_cloud_fault_ice(cloudlet->cloud, filter("m5.*", "", "spot"), false) > 6 * 8);
    for (uint32_t i = 0; i < 6; i++)
        zone += sim_cloud_fault_ice(cloudlet->cloud, filter("", zones[i], ""), false);
    assert_int_equal(all - zone, 144 * 8); // KWOK's pools: 144 types in 4 zones
    cloudlet_free(cloudlet);
}

TEST(ice_comes_and_goes) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){.unavailable_ns = 1});

    sim_cloud_fault_ice(cloudlet->cloud, filter("m5.large", "", "on-demand"), true);
    assert_int_equal(left(cloudlet, "m5.large", "us-east-1a", "on-demand"), 0);
    assert_int_equal(try_launch(cloudlet, ON_DEMAND), ERR_CAPACITY);
    assert_int_equal(try_launch(cloudlet, SPOT), OK);
    sim_cloud_fault_ice(cloudlet->cloud, filter("m5.large", "", "on-demand"), false);
    cluster_run(cloudlet->world, SECONDS(1));
    assert_int_equal(try_launch(cloudlet, ON_DEMAND), OK);
    cloudlet_free(cloudlet);
}

TEST(instances_left_can_be_set_and_given_back_to_chance) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){.on_demand_depth = 500, .unavailable_ns = 1});
    int64_t before = left(cloudlet, "m5.large", "us-east-1a", "on-demand");
    SimFilter pool = filter("m5.large", "us-east-1a", "on-demand");

    assert_int_equal(sim_cloud_fault_left(cloudlet->cloud, pool, 2), 1);
    assert_int_equal(try_launch(cloudlet, ON_DEMAND ", " ZONE_A), OK);
    assert_int_equal(left(cloudlet, "m5.large", "us-east-1a", "on-demand"), 1);
    assert_int_equal(try_launch(cloudlet, ON_DEMAND ", " ZONE_A), OK);
    assert_int_equal(try_launch(cloudlet, ON_DEMAND ", " ZONE_A), ERR_CAPACITY);
    assert_int_equal(left(cloudlet, "m5.large", "us-east-1a", "on-demand"), 0);
    sim_cloud_fault_left(cloudlet->cloud, pool, UINT32_MAX);
    assert_int_equal(left(cloudlet, "m5.large", "us-east-1a", "on-demand"), before - 2);
    cloudlet_free(cloudlet);
}

static int64_t known_price(Cloudlet *cloudlet) {
    return sim_cloud_known_price(cloudlet->cloud, SLICE("m5.large"), SLICE("us-east-1a"), SLICE("spot"));
}

TEST(a_price_that_is_asked_for_is_known_as_it_was_told) {
    Cloudlet *told = cloudlet_new(1, (SimCloudConfig){.prices_are_asked_for = true}),
             *heard = cloudlet_new(1, (SimCloudConfig){0});
    const Ec2Type *type = ec2_catalogue_type(sim_account_catalogue(told->cloud), SLICE("m5.large"));
    int64_t before = known_price(told);

    sim_cloud_fault_price(told->cloud, filter("", "", ""), 200);
    sim_cloud_fault_price(heard->cloud, filter("", "", ""), 200);
    assert_int_equal(known_price(told), before);
    assert_int_equal(known_price(heard), 2 * before);
    assert_true(sim_account_spot_price(told->cloud, type, 0) > 1.99e-9 * (double)before);
    assert_int_equal(known_price(told), 2 * before);
    cloudlet_free(told);
    cloudlet_free(heard);
}

TEST(a_price_is_in_percent_of_the_catalogues) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0});

    assert_int_equal(sim_cloud_fault_price(cloudlet->cloud, filter("m5.large", "us-east-1a", "on-demand"), 250), 1);
    assert_int_equal(price(cloudlet, "m5.large", "us-east-1a", "on-demand"), 240000000);
    assert_int_equal(price(cloudlet, "m5.large", "us-east-1b", "on-demand"), 96000000);
    sim_cloud_fault_price(cloudlet->cloud, filter("", "", ""), 50);
    assert_int_equal(price(cloudlet, "m5.large", "us-east-1a", "on-demand"), 48000000);
    sim_cloud_fault_price(cloudlet->cloud, filter("", "", ""), 100);
    assert_int_equal(price(cloudlet, "m5.large", "us-east-1a", "on-demand"), 96000000);
    cloudlet_free(cloudlet);
}

// --- reservations

static void reserve(Cloudlet *cloudlet, uint32_t instances) {
    sim_cloud_reserve(cloudlet->cloud, SLICE("cr-1"), SLICE("m5.large"), SLICE("us-east-1a"), instances);
    cluster_patch(cloudlet->world, KUBE_EC2_NODE_CLASS, "", "default", KUBE_STATUS,
                  "{status: {capacityReservations: [{id: cr-1, availabilityZone: us-east-1a, instanceType: m5.large, "
                  "ownerID: '1', instanceMatchCriteria: targeted, reservationType: default, state: active}]}}");
    world_settle(cloudlet->world);
}

TEST(a_reservation_gives_back_what_ends_and_can_grow) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0});
    const char *reserved = M5_LARGE ", {key: karpenter.sh/capacity-type, operator: In, values: [reserved]}";
    uint32_t number;

    reserve(cloudlet, 1);
    number = cloudlet_one(cloudlet, reserved);
    assert_int_equal(cloudlet_offering(cloudlet, "m5.large", "us-east-1a", "reserved")->reservation_capacity, 0);
    assert_int_equal(try_launch(cloudlet, reserved), ERR_CAPACITY);
    sim_cloud_fault_kill(cloudlet->cloud, number, SIM_DEATH_TERMINATED);
    assert_int_equal(cloudlet_offering(cloudlet, "m5.large", "us-east-1a", "reserved")->reservation_capacity, 1);
    cloudlet_one(cloudlet, reserved);
    reserve(cloudlet, 3);
    assert_int_equal(cloudlet_offering(cloudlet, "m5.large", "us-east-1a", "reserved")->reservation_capacity, 2);
    reserve(cloudlet, 0); // less than the instances in it
    assert_int_equal(cloudlet_offering(cloudlet, "m5.large", "us-east-1a", "reserved")->reservation_capacity, 0);
    assert_false(cloudlet_offering(cloudlet, "m5.large", "us-east-1a", "reserved")->available);
    cloudlet_free(cloudlet);
}

// --- faults of the service

TEST(boots_can_be_stretched) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0}); // 10 s
    uint32_t slow;

    sim_cloud_fault_boot(cloudlet->cloud, 3000);
    slow = cloudlet_one(cloudlet, ON_DEMAND);
    assert_int_equal(cloudlet_instance(cloudlet, slow)->running_ns, world_now_ns(cloudlet->world) + SECONDS(300));
    cluster_run(cloudlet->world, SECONDS(300) - 1);
    assert_int_equal(cloudlet_instance(cloudlet, slow)->state, SIM_INSTANCE_PENDING);
    cluster_run(cloudlet->world, 1);
    assert_int_equal(cloudlet_instance(cloudlet, slow)->state, SIM_INSTANCE_RUNNING);
    cloudlet_free(cloudlet);
}

static uint32_t listed(Cloudlet *cloudlet) {
    CloudInstanceVec instances = {0};

    assert_int_equal(cloud_list(cloudlet->table, &cloudlet->arena, &instances, NULL), OK);
    return instances.count;
}

TEST(descriptions_can_be_made_to_lag_and_to_keep_up) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0});
    uint32_t shown_at = 0;

    cloudlet_one(cloudlet, ON_DEMAND);
    assert_int_equal(listed(cloudlet), 1);
    sim_cloud_fault_consistency(cloudlet->cloud, SECONDS(60));
    for (uint32_t i = 0; i < 9; i++)
        cloudlet_one(cloudlet, ON_DEMAND);
    assert_in_range(listed(cloudlet), 1, 3); // few have a very small part of the sixty seconds
    for (uint32_t i = 0; i < 60; i++) {
        cluster_run(cloudlet->world, SECONDS(1));
        shown_at += 10 - listed(cloudlet);
    }
    assert_int_equal(listed(cloudlet), 10);
    assert_in_range(shown_at, 60, 480); // 9 instances, evenly between 0 and 60 seconds
    sim_cloud_fault_consistency(cloudlet->cloud, 0);
    cloudlet_one(cloudlet, ON_DEMAND);
    assert_int_equal(listed(cloudlet), 11);
    cloudlet_free(cloudlet);
}

// An instance that ends before it was in any list is never in a list.
TEST(an_instance_that_ends_young_is_listed_late_or_never) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){.consistency = {SECONDS(5), SECONDS(5)}});
    uint32_t number = cloudlet_one(cloudlet, ON_DEMAND);

    cluster_run(cloudlet->world, SECONDS(2));
    assert_true(sim_cloud_fault_kill(cloudlet->cloud, number, SIM_DEATH_TERMINATED));
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(listed(cloudlet), 0);
        cluster_run(cloudlet->world, SECONDS(1) - 1);
    }
    cluster_run(cloudlet->world, SECONDS(10));
    assert_int_equal(listed(cloudlet), 0);
    cloudlet_free(cloudlet);
}

TEST(an_impaired_instance_costs_money_until_it_is_ended) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0});
    uint32_t number = cloudlet_one(cloudlet, ON_DEMAND);

    cluster_run(cloudlet->world, SECONDS(10));
    assert_true(sim_cloud_fault_kill(cloudlet->cloud, number, SIM_DEATH_IMPAIRED));
    cluster_run(cloudlet->world, MINUTES(60));
    assert_int_equal(sim_cloud_instance_cost(cloudlet->cloud, number), 96000000);
    assert_int_equal(sim_cloud_bill(cloudlet->cloud).by_type[SIM_ON_DEMAND].ended, 0);
    cloudlet_free(cloudlet);
}

static uint32_t told;
static void count_changes(void *context, const SimInstanceChange *change) {
    (void)context;
    told += change->before == change->after;
}

TEST(a_rebalance_recommendation_is_a_notice_and_nothing_more) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0});
    uint32_t number = cloudlet_one(cloudlet, SPOT);

    cluster_run(cloudlet->world, MINUTES(1));
    told = 0;
    sim_cloud_on_change(cloudlet->cloud, count_changes, NULL);
    sim_cloud_fault_rebalance(cloudlet->cloud, number);
    cluster_run(cloudlet->world, MINUTES(10));
    assert_int_equal(told, 1);
    assert_int_equal(sim_cloud_notice(cloudlet->cloud, 0).type, SIM_NOTICE_REBALANCE);
    assert_int_equal(sim_cloud_notice(cloudlet->cloud, 0).number, number);
    assert_int_equal(cloudlet_instance(cloudlet, number)->state, SIM_INSTANCE_RUNNING);
    cloudlet_free(cloudlet);
}
