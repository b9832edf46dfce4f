// The bill, exact to the nano-dollar, in cases computed by hand; changing prices; equal seeds give equal days.
#include "sim/support/cloudlet.h"

#include <inttypes.h>
#include <stdio.h>

#define ZONE_A    "{key: topology.kubernetes.io/zone, operator: In, values: [us-east-1a]}"
#define M5_LARGE  "{key: node.kubernetes.io/instance-type, operator: In, values: [m5.large]}, " ZONE_A
#define ON_DEMAND M5_LARGE ", {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}"
#define SPOT      M5_LARGE ", {key: karpenter.sh/capacity-type, operator: In, values: [spot]}"

enum { M5_LARGE_NANO = 96000000 }; // $0.096 an hour in us-east-1

static void end(Cloudlet *cloudlet, uint32_t number) {
    Slice text = symbol_text(world_symbols(cloudlet->world), cloudlet_instance(cloudlet, number)->provider_id);

    assert_int_equal(cloud_terminate(cloudlet->table, symbol_intern(state_symbols(cloudlet->state), text), NULL), OK);
}

static int64_t price(Cloudlet *cloudlet, const char *capacity_type) {
    return sim_cloud_price(cloudlet->cloud, SLICE("m5.large"), SLICE("us-east-1a"), slice_of(capacity_type));
}

// Ten seconds of booting are free, then the instance runs for an hour and a half.
TEST(an_instance_costs_its_price_from_running_until_shutting_down) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0});
    uint32_t number = cloudlet_one(cloudlet, ON_DEMAND);
    SimBill bill;

    assert_int_equal(price(cloudlet, "on-demand"), M5_LARGE_NANO);
    cluster_run(cloudlet->world, SECONDS(10));
    assert_int_equal(sim_cloud_bill(cloudlet->cloud).nano_dollars, 0);
    cluster_run(cloudlet->world, MINUTES(90));
    assert_int_equal(sim_cloud_bill(cloudlet->cloud).nano_dollars, M5_LARGE_NANO * 3 / 2);
    end(cloudlet, number);
    cluster_run(cloudlet->world, MINUTES(300));
    bill = sim_cloud_bill(cloudlet->cloud);
    assert_int_equal(bill.nano_dollars, M5_LARGE_NANO * 3 / 2);
    assert_int_equal(bill.by_type[SIM_ON_DEMAND].nano_dollars, M5_LARGE_NANO * 3 / 2);
    assert_int_equal(bill.by_type[SIM_ON_DEMAND].instance_ns, MINUTES(90));
    assert_int_equal(bill.by_type[SIM_ON_DEMAND].launched, 1);
    assert_int_equal(bill.by_type[SIM_ON_DEMAND].ended, 1);
    assert_int_equal(bill.by_type[SIM_SPOT].nano_dollars, 0);
    assert_int_equal(sim_cloud_instance_cost(cloudlet->cloud, number), M5_LARGE_NANO * 3 / 2);
    cloudlet_free(cloudlet);
}

TEST(less_than_a_minute_costs_a_minute_and_never_running_nothing) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0});
    uint32_t brief = cloudlet_one(cloudlet, ON_DEMAND), never = cloudlet_one(cloudlet, ON_DEMAND);

    end(cloudlet, never);
    cluster_run(cloudlet->world, SECONDS(10 + 20));
    end(cloudlet, brief);
    cluster_run(cloudlet->world, MINUTES(5));
    assert_int_equal(sim_cloud_instance_cost(cloudlet->cloud, brief), M5_LARGE_NANO / 60);
    assert_int_equal(sim_cloud_instance_cost(cloudlet->cloud, never), 0);
    assert_int_equal(sim_cloud_bill(cloudlet->cloud).by_type[SIM_ON_DEMAND].instance_ns, SECONDS(20));
    assert_int_equal(sim_cloud_bill(cloudlet->cloud).by_type[SIM_ON_DEMAND].ended, 2);
    cloudlet_free(cloudlet);
}

// An hour at the old price, half an hour at three times as much: two instances that began at different times.
TEST(each_change_of_price_counts_from_its_moment) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0});
    uint32_t first = cloudlet_one(cloudlet, SPOT), second;
    int64_t base = price(cloudlet, "spot");

    cluster_run(cloudlet->world, SECONDS(10));
    cluster_run(cloudlet->world, MINUTES(30));
    second = cloudlet_one(cloudlet, SPOT);
    cluster_run(cloudlet->world, SECONDS(10));
    cluster_run(cloudlet->world, MINUTES(30) - SECONDS(10));
    assert_int_equal(
        sim_cloud_fault_price(cloudlet->cloud, (SimFilter){SLICE("m5.large"), SLICE("us-east-1a"), SLICE("spot")}, 300),
        1);
    assert_int_equal(price(cloudlet, "spot"), 3 * base);
    assert_true(cloudlet_offering(cloudlet, "m5.large", "us-east-1a", "spot")->price_per_hour ==
                (double)(3 * base) / 1e9);
    cluster_run(cloudlet->world, MINUTES(30));
    assert_int_equal(sim_cloud_instance_cost(cloudlet->cloud, first), base + 3 * base / 2);
    assert_int_equal(sim_cloud_instance_cost(cloudlet->cloud, second),
                     (int64_t)((__int128)base * (MINUTES(30) - SECONDS(10)) / MINUTES(60) + 3 * base / 2));
    end(cloudlet, first);
    cluster_run(cloudlet->world, MINUTES(30));
    assert_int_equal(sim_cloud_instance_cost(cloudlet->cloud, first), base + 3 * base / 2);
    cloudlet_free(cloudlet);
}

TEST(a_stopped_instance_costs_nothing_and_a_reserved_one_next_to_it) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0});
    uint32_t number = cloudlet_one(cloudlet, ON_DEMAND), reserved;

    cluster_run(cloudlet->world, SECONDS(10) + MINUTES(60));
    sim_cloud_fault_kill(cloudlet->cloud, number, SIM_DEATH_STOPPED);
    sim_cloud_reserve(cloudlet->cloud, SLICE("cr-1"), SLICE("m5.large"), SLICE("us-east-1a"), 1);
    cluster_patch(cloudlet->world, KUBE_EC2_NODE_CLASS, "", "default", KUBE_STATUS,
                  "{status: {capacityReservations: [{id: cr-1, availabilityZone: us-east-1a, instanceType: m5.large, "
                  "ownerID: '1', instanceMatchCriteria: targeted, reservationType: default, state: active}]}}");
    world_settle(cloudlet->world);
    reserved = cloudlet_one(cloudlet, M5_LARGE ", {key: karpenter.sh/capacity-type, operator: In, values: [reserved]}");
    cluster_run(cloudlet->world, SECONDS(10) + MINUTES(60));
    assert_int_equal(sim_cloud_instance_cost(cloudlet->cloud, number), M5_LARGE_NANO);
    assert_in_range(sim_cloud_instance_cost(cloudlet->cloud, reserved), 1, 100);
    assert_int_equal(sim_cloud_bill(cloudlet->cloud).by_type[SIM_RESERVED].instance_ns, MINUTES(60));
    cloudlet_free(cloudlet);
}

TEST(spot_prices_move_within_their_swing) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){.price_step_ns = MINUTES(60), .price_swing_percent = 20});
    int64_t first = price(cloudlet, "spot"), moves = 0, before = first;
    const InstanceTypeVec *types = cloudlet_types(cloudlet);

    for (uint32_t hour = 0; hour < 48; hour++) {
        cluster_run(cloudlet->world, MINUTES(60));
        moves += price(cloudlet, "spot") != before;
        before = price(cloudlet, "spot");
        assert_in_range(before, first * 60 / 100, first * 150 / 100);
        assert_int_equal(price(cloudlet, "on-demand"), M5_LARGE_NANO);
    }
    assert_true(moves > 40);
    assert_ptr_not_equal(types, cloudlet_types(cloudlet));
    assert_true(cloudlet_offering(cloudlet, "m5.large", "us-east-1a", "spot")->price_per_hour == (double)before / 1e9);
    cloudlet_free(cloudlet);
}

// --- the same twice

// The result of a day of launches and terminations with changing prices, as one line.
static void live_a_day(uint64_t seed, char *text, size_t size) {
    Cloudlet *cloudlet = cloudlet_new(seed, (SimCloudConfig){.boot = {SECONDS(5), SECONDS(40)},
                                                             .consistency = {1, SECONDS(4)},
                                                             .spot_depth = 8,
                                                             .on_demand_depth = 20,
                                                             .price_step_ns = MINUTES(30),
                                                             .price_swing_percent = 30,
                                                             .spot_life_ns = MINUTES(240),
                                                             .never_join_percent = 5});
    Random random = world_random(cloudlet->world, "test");
    uint64_t hash = 0;
    SimBill bill;

    for (uint32_t i = 0; i < 150; i++) {
        CloudInstance instance = {0};
        ErrCode code = cloudlet_launch(
            cloudlet, cloudlet_claim(cloudlet, random_chance(&random, 50) ? SPOT : ON_DEMAND, "1"), &instance, NULL);

        hash = hash_combine(hash, code);
        if (code == OK)
            hash = hash_combine(hash, slice_hash(symbol_text(state_symbols(cloudlet->state), instance.provider_id)));
        if (random_chance(&random, 40) && sim_cloud_instance_count(cloudlet->cloud)) {
            SimDeath death = (SimDeath)random_below(&random, 2);

            sim_cloud_fault_kill(cloudlet->cloud, random_below(&random, sim_cloud_instance_count(cloudlet->cloud)),
                                 death);
        }
        cluster_run(cloudlet->world, (int64_t)random_below(&random, 1000) * SECONDS(1));
    }
    bill = sim_cloud_bill(cloudlet->cloud);
    snprintf(text, size, "%" PRIx64 " %" PRId64 " %" PRIu64 " %" PRIu64 " %u", hash, bill.nano_dollars,
             bill.by_type[SIM_SPOT].interrupted, bill.by_type[SIM_SPOT].launched,
             sim_cloud_notice_count(cloudlet->cloud));
    cloudlet_free(cloudlet);
}

TEST(equal_seeds_give_equal_days) {
    char first[128], again[128], other[128];

    live_a_day(11, first, sizeof first);
    live_a_day(11, again, sizeof again);
    live_a_day(12, other, sizeof other);
    assert_string_equal(first, again);
    assert_string_not_equal(first, other);
}

// The bill is the sum of the instances' costs, but for their rounding.
TEST(the_bill_is_the_sum_of_its_instances) {
    Cloudlet *cloudlet =
        cloudlet_new(4, (SimCloudConfig){.price_step_ns = MINUTES(7), .price_swing_percent = 50, .unthrottled = true});
    int64_t sum = 0, all;
    uint32_t count;

    for (uint32_t i = 0; i < 60; i++) {
        cloudlet_one(cloudlet, i % 3 ? SPOT : ON_DEMAND);
        if (i % 4 == 0)
            end(cloudlet, i / 2);
        cluster_run(cloudlet->world, MINUTES(3) + 12345 * (int64_t)i);
    }
    count = sim_cloud_instance_count(cloudlet->cloud);
    for (uint32_t i = 0; i < count; i++)
        sum += sim_cloud_instance_cost(cloudlet->cloud, i);
    all = sim_cloud_bill(cloudlet->cloud).nano_dollars;
    assert_int_equal(count, 60);
    assert_true(sum <= all && all - sum <= (int64_t)count);
    assert_true(sum > 0);
    cloudlet_free(cloudlet);
}
