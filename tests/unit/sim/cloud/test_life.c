// The life of simulated instances: boots, terminations, interruptions, deaths; when descriptions show it; and refused
// calls.
#include "sim/support/cloudlet.h"

#include <stdio.h>

#define M5_LARGE  "{key: node.kubernetes.io/instance-type, operator: In, values: [m5.large]}"
#define ON_DEMAND M5_LARGE ", {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}"
#define SPOT      M5_LARGE ", {key: karpenter.sh/capacity-type, operator: In, values: [spot]}"

static Symbol provider_id(const Cloudlet *cloudlet, uint32_t number) {
    Slice text = symbol_text(world_symbols(cloudlet->world), cloudlet_instance(cloudlet, number)->provider_id);

    return symbol_intern(state_symbols(cloudlet->state), text);
}

static ErrCode get(Cloudlet *cloudlet, uint32_t number, CloudInstance *ret_instance) {
    return cloud_get(cloudlet->table, &cloudlet->arena, provider_id(cloudlet, number), ret_instance, NULL);
}

static uint32_t listed(Cloudlet *cloudlet) {
    CloudInstanceVec instances = {0};

    assert_int_equal(cloud_list(cloudlet->table, &cloudlet->arena, &instances, NULL), OK);
    return instances.count;
}

static SimInstanceState state_of(const Cloudlet *cloudlet, uint32_t number) {
    return cloudlet_instance(cloudlet, number)->state;
}

// --- the life

typedef struct {
    Cloudlet *cloudlet;
    char text[256];
} Story;

static void tell(void *context, const SimInstanceChange *change) {
    Story *story = context;
    size_t used = strlen(story->text);

    snprintf(story->text + used, sizeof story->text - used, "%u:%s ", change->number,
             sim_instance_state_text(change->after));
}

TEST(an_instance_boots_runs_shuts_down_and_is_gone) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0});
    Story story = {cloudlet, ""};
    CloudInstance instance;
    uint32_t number;

    sim_cloud_on_change(cloudlet->cloud, tell, &story);
    number = cloudlet_one(cloudlet, ON_DEMAND);
    assert_int_equal(cloudlet_instance(cloudlet, number)->running_ns, world_now_ns(cloudlet->world) + SECONDS(10));
    cluster_run(cloudlet->world, SECONDS(10) - 1);
    assert_int_equal(state_of(cloudlet, number), SIM_INSTANCE_PENDING);
    cluster_run(cloudlet->world, 1);
    assert_int_equal(state_of(cloudlet, number), SIM_INSTANCE_RUNNING);
    assert_int_equal(cloud_terminate(cloudlet->table, provider_id(cloudlet, number), NULL), OK);
    assert_int_equal(get(cloudlet, number, &instance), OK);
    assert_true(instance.terminating);
    assert_int_equal(cloud_terminate(cloudlet->table, provider_id(cloudlet, number), NULL),
                     OK); // a second time is no error
    assert_int_equal(listed(cloudlet), 1);
    cluster_run(cloudlet->world, SECONDS(30));
    assert_int_equal(state_of(cloudlet, number), SIM_INSTANCE_TERMINATED);
    assert_int_equal(get(cloudlet, number, &instance), ERR_NOT_FOUND);
    assert_int_equal(cloud_terminate(cloudlet->table, provider_id(cloudlet, number), NULL), ERR_NOT_FOUND);
    assert_int_equal(listed(cloudlet), 0);
    assert_string_equal(story.text, "0:pending 0:running 0:shutting-down 0:terminated ");
    assert_int_equal(sim_cloud_find_instance(cloudlet->cloud, cloudlet_instance(cloudlet, number)->provider_id),
                     number);
    cloudlet_free(cloudlet);
}

TEST(an_instance_unknown_to_ec2_is_not_found) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0});
    CloudInstance instance;
    CloudError error = {0};

    assert_int_equal(
        cloud_get(cloudlet->table, &cloudlet->arena, cloudlet_symbol(cloudlet, "aws:///z/i-1"), &instance, &error),
        ERR_NOT_FOUND);
    assert_string_equal(error.err.text, "InvalidInstanceID.NotFound: the instance aws:///z/i-1 does not exist");
    cloudlet_free(cloudlet);
}

// Descriptions lag: a list misses new instances, a get does not; both show a termination late.
TEST(descriptions_are_eventually_consistent) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){.consistency = {SECONDS(5), SECONDS(5)}});
    CloudInstance instance;
    uint32_t number;

    number = cloudlet_one(cloudlet, ON_DEMAND);
    assert_int_equal(listed(cloudlet), 0);
    assert_int_equal(get(cloudlet, number, &instance), OK); // never NotFound while it exists
    cluster_run(cloudlet->world, SECONDS(5));
    assert_int_equal(listed(cloudlet), 1);
    cluster_run(cloudlet->world, MINUTES(1));
    assert_int_equal(cloud_terminate(cloudlet->table, provider_id(cloudlet, number), NULL), OK);
    assert_int_equal(get(cloudlet, number, &instance), OK);
    assert_false(instance.terminating);
    cluster_run(cloudlet->world, SECONDS(5));
    assert_int_equal(get(cloudlet, number, &instance), OK);
    assert_true(instance.terminating);
    cluster_run(cloudlet->world, SECONDS(25));
    assert_int_equal(state_of(cloudlet, number), SIM_INSTANCE_TERMINATED);
    assert_int_equal(get(cloudlet, number, &instance), OK);
    assert_int_equal(listed(cloudlet), 1);
    cluster_run(cloudlet->world, SECONDS(5));
    assert_int_equal(get(cloudlet, number, &instance), ERR_NOT_FOUND);
    assert_int_equal(listed(cloudlet), 0);
    cloudlet_free(cloudlet);
}

// --- interruptions and deaths

TEST(a_spot_interruption_gives_two_minutes_notice) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0});
    uint32_t spot = cloudlet_one(cloudlet, SPOT), on_demand = cloudlet_one(cloudlet, ON_DEMAND);
    int64_t at;

    cluster_run(cloudlet->world, MINUTES(5));
    at = world_now_ns(cloudlet->world);
    assert_false(sim_cloud_fault_interrupt(cloudlet->cloud, on_demand));
    assert_true(sim_cloud_fault_interrupt(cloudlet->cloud, spot));
    assert_false(sim_cloud_fault_interrupt(cloudlet->cloud, spot)); // it has been interrupted already
    sim_cloud_fault_rebalance(cloudlet->cloud, spot);
    assert_int_equal(sim_cloud_notice_count(cloudlet->cloud), 2);
    assert_int_equal(sim_cloud_notice(cloudlet->cloud, 0).type, SIM_NOTICE_INTERRUPTION);
    assert_int_equal(sim_cloud_notice(cloudlet->cloud, 0).taken_ns, at + MINUTES(2));
    assert_int_equal(sim_cloud_notice(cloudlet->cloud, 1).type, SIM_NOTICE_REBALANCE);
    cluster_run(cloudlet->world, MINUTES(2) - 1);
    assert_int_equal(state_of(cloudlet, spot), SIM_INSTANCE_RUNNING);
    cluster_run(cloudlet->world, 1);
    assert_int_equal(state_of(cloudlet, spot), SIM_INSTANCE_SHUTTING_DOWN);
    cluster_run(cloudlet->world, SECONDS(30));
    assert_int_equal(state_of(cloudlet, spot), SIM_INSTANCE_TERMINATED);
    assert_int_equal(state_of(cloudlet, on_demand), SIM_INSTANCE_RUNNING);
    assert_int_equal(sim_cloud_bill(cloudlet->cloud).by_type[SIM_SPOT].interrupted, 1);
    cloudlet_free(cloudlet);
}

TEST(an_interruption_storm_takes_what_its_filter_says) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){.unthrottled = true});

    for (uint32_t i = 0; i < 10; i++)
        cloudlet_one(cloudlet, i % 2 ? ON_DEMAND : SPOT);
    cluster_run(cloudlet->world, MINUTES(1));
    assert_int_equal(sim_cloud_fault_interrupt_all(cloudlet->cloud, (SimFilter){.type = SLICE("c5.*")}, 100), 0);
    assert_int_equal(sim_cloud_fault_interrupt_all(cloudlet->cloud, (SimFilter){.type = SLICE("m5.*")}, 3), 3);
    assert_int_equal(sim_cloud_fault_interrupt_all(cloudlet->cloud, (SimFilter){0}, 100), 2);
    cluster_run(cloudlet->world, MINUTES(3));
    assert_int_equal(listed(cloudlet), 5);
    cloudlet_free(cloudlet);
}

// The mean life is the configured one, within the random error of 400 instances.
TEST(spot_instances_live_as_long_as_configured_in_the_mean) {
    Cloudlet *cloudlet = cloudlet_new(3, (SimCloudConfig){.unthrottled = true, .spot_life_ns = MINUTES(60)});
    int64_t sum = 0;

    for (uint32_t i = 0; i < 400; i++)
        cloudlet_one(cloudlet, SPOT);
    cluster_run(cloudlet->world, MINUTES(60 * 24));
    assert_int_equal(sim_cloud_bill(cloudlet->cloud).by_type[SIM_SPOT].interrupted, 400);
    for (uint32_t i = 0; i < 400; i++)
        sum += (sim_cloud_notice(cloudlet->cloud, i).at_ns -
                cloudlet_instance(cloudlet, sim_cloud_notice(cloudlet->cloud, i).number)->running_ns) /
               400;
    assert_in_range(sum, MINUTES(50), MINUTES(70));
    cloudlet_free(cloudlet);
}

TEST(instances_die_in_three_ways) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0});
    uint32_t gone = cloudlet_one(cloudlet, ON_DEMAND), stopped = cloudlet_one(cloudlet, ON_DEMAND),
             impaired = cloudlet_one(cloudlet, ON_DEMAND);
    CloudInstance instance;

    cluster_run(cloudlet->world, MINUTES(1));
    assert_true(sim_cloud_fault_kill(cloudlet->cloud, gone, SIM_DEATH_TERMINATED));
    assert_true(sim_cloud_fault_kill(cloudlet->cloud, stopped, SIM_DEATH_STOPPED));
    assert_true(sim_cloud_fault_kill(cloudlet->cloud, impaired, SIM_DEATH_IMPAIRED));
    assert_false(sim_cloud_fault_kill(cloudlet->cloud, gone, SIM_DEATH_STOPPED));
    assert_int_equal(get(cloudlet, gone, &instance), ERR_NOT_FOUND);
    assert_int_equal(get(cloudlet, stopped, &instance), OK);
    assert_int_equal(state_of(cloudlet, stopped), SIM_INSTANCE_STOPPED);
    assert_int_equal(state_of(cloudlet, impaired), SIM_INSTANCE_RUNNING);
    assert_true(cloudlet_instance(cloudlet, impaired)->is_impaired);
    assert_int_equal(cloud_terminate(cloudlet->table, provider_id(cloudlet, stopped), NULL), OK);
    cluster_run(cloudlet->world, MINUTES(1));
    assert_int_equal(state_of(cloudlet, stopped), SIM_INSTANCE_TERMINATED);
    cloudlet_free(cloudlet);
}

TEST(some_launches_never_join) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0});

    sim_cloud_fault_never_join(cloudlet->cloud, 2);
    assert_false(cloudlet_instance(cloudlet, cloudlet_one(cloudlet, ON_DEMAND))->will_join);
    assert_false(cloudlet_instance(cloudlet, cloudlet_one(cloudlet, ON_DEMAND))->will_join);
    assert_true(cloudlet_instance(cloudlet, cloudlet_one(cloudlet, ON_DEMAND))->will_join);
    cloudlet_free(cloudlet);
}

TEST(a_new_image_or_a_changed_class_drifts_what_is_older) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0});
    NodeClaim claim = {0};
    Slice reason;

    claim.provider_id = provider_id(cloudlet, cloudlet_one(cloudlet, ON_DEMAND));
    assert_int_equal(cloud_is_drifted(cloudlet->table, &claim, &reason, NULL), OK);
    assert_int_equal(reason.len, 0);
    sim_cloud_fault_new_image(cloudlet->cloud);
    assert_int_equal(cloud_is_drifted(cloudlet->table, &claim, &reason, NULL), OK);
    assert_true(slice_eq_text(reason, "AMIDrift"));
    claim.provider_id = provider_id(cloudlet, cloudlet_one(cloudlet, ON_DEMAND));
    assert_int_equal(cloud_is_drifted(cloudlet->table, &claim, &reason, NULL), OK);
    assert_int_equal(reason.len, 0);
    cluster_patch(cloudlet->world, KUBE_EC2_NODE_CLASS, "", "default", KUBE_OBJECT, "{spec: {tags: {a: b}}}");
    world_settle(cloudlet->world);
    assert_int_equal(cloud_is_drifted(cloudlet->table, &claim, &reason, NULL), OK);
    assert_true(slice_eq_text(reason, "NodeClassDrift"));
    cloudlet_free(cloudlet);
}

// --- refused calls

TEST(calls_that_come_together_are_one) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0});
    SimApiCount count;

    for (uint32_t i = 0; i < 200; i++)
        cloudlet_one(cloudlet, ON_DEMAND);
    count = sim_cloud_api_count(cloudlet->cloud, SIM_API_CREATE_FLEET);
    assert_int_equal(count.calls, 1);
    assert_int_equal(count.joined, 199);
    cluster_run(cloudlet->world, INT64_C(35000001));
    cloudlet_one(cloudlet, ON_DEMAND);
    cloudlet_one(cloudlet, SPOT); // another request
    assert_int_equal(sim_cloud_api_count(cloudlet->cloud, SIM_API_CREATE_FLEET).calls, 3);
    assert_string_equal(sim_api_text(SIM_API_CREATE_FLEET), "CreateFleet");
    cloudlet_free(cloudlet);
}

// A full bucket of 100 for lists; then 20 a second come back.
TEST(too_many_calls_are_throttled) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0});
    CloudInstanceVec instances = {0};
    CloudError error = {0};

    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(listed(cloudlet), 0);
    assert_int_equal(cloud_list(cloudlet->table, &cloudlet->arena, &instances, &error), ERR_THROTTLED);
    assert_string_equal(error.err.text, "DescribeInstances: RequestLimitExceeded: Request limit exceeded.");
    assert_string_equal(error.reason, "RequestLimitExceeded");
    cluster_run(cloudlet->world, SECONDS(1));
    for (uint32_t i = 0; i < 20; i++)
        assert_int_equal(listed(cloudlet), 0);
    assert_int_equal(cloud_list(cloudlet->table, &cloudlet->arena, &instances, NULL), ERR_THROTTLED);
    sim_cloud_fault_throttle(cloudlet->cloud, 10);
    cluster_run(cloudlet->world, SECONDS(1));
    assert_int_equal(listed(cloudlet), 0);
    assert_int_equal(listed(cloudlet), 0);
    assert_int_equal(cloud_list(cloudlet->table, &cloudlet->arena, &instances, NULL), ERR_THROTTLED);
    assert_int_equal(sim_cloud_api_count(cloudlet->cloud, SIM_API_DESCRIBE_INSTANCES).throttled, 3);
    cloudlet_free(cloudlet);
}

TEST(a_frozen_cloud_answers_no_calls_and_a_failing_one_some) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){.unthrottled = true});
    CloudInstanceVec instances = {0};
    CloudInstance instance;
    uint32_t failures = 0;

    sim_cloud_fault_freeze(cloudlet->cloud, true);
    assert_int_equal(cloudlet_launch(cloudlet, cloudlet_claim(cloudlet, ON_DEMAND, "1"), &instance, NULL), ERR_TIMEOUT);
    assert_int_equal(cloud_list(cloudlet->table, &cloudlet->arena, &instances, NULL), ERR_TIMEOUT);
    assert_int_equal(sim_cloud_instance_count(cloudlet->cloud), 0);
    sim_cloud_fault_freeze(cloudlet->cloud, false);
    sim_cloud_fault_api_errors(cloudlet->cloud, 30);
    for (uint32_t i = 0; i < 1000; i++) {
        ErrCode code = cloud_list(cloudlet->table, &cloudlet->arena, &instances, NULL);

        assert_true(code == OK || code == ERR_IO);
        failures += code == ERR_IO;
    }
    assert_in_range(failures, 240, 360);
    cloudlet_free(cloudlet);
}

TEST(latencies_are_drawn_and_can_be_stretched) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0}), *again = cloudlet_new(1, (SimCloudConfig){0});
    int64_t first = sim_cloud_latency_ns(cloudlet->cloud, "launch");

    assert_int_equal(first, sim_cloud_latency_ns(again->cloud, "launch"));
    assert_in_range(first, INT64_C(1200000000), INT64_C(2600000000));
    assert_int_not_equal(first, sim_cloud_latency_ns(cloudlet->cloud, "launch"));
    sim_cloud_fault_latency(cloudlet->cloud, 1000);
    assert_in_range(sim_cloud_latency_ns(cloudlet->cloud, "launch"), SECONDS(12), SECONDS(26));
    assert_int_equal(sim_cloud_latency_ns(cloudlet->cloud, "instance_types"), 0);
    cloudlet_free(cloudlet);
    cloudlet_free(again);
}
