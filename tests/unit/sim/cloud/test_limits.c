// Limits of the simulated EC2: token buckets per API, windows in which equal calls are batched, and faults.
#include "sim/cloud/limits.h"
#include "sim/support/cloudlet.h"

static ErrCode call(Cloudlet *cloudlet, SimApi api, uint64_t key) {
    return cloud_limit_call(cloudlet->cloud, api, key, NULL);
}

// The number of `times` separate calls that are not throttled now.
static uint32_t answered(Cloudlet *cloudlet, SimApi api, uint32_t times) {
    uint32_t passed = 0;

    for (uint32_t i = 0; i < times; i++)
        passed += call(cloudlet, api, 0) == OK;
    return passed;
}

TEST(each_api_has_a_bucket_of_its_own) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0});

    assert_int_equal(answered(cloudlet, SIM_API_CREATE_FLEET, 200), 50);
    assert_int_equal(answered(cloudlet, SIM_API_TERMINATE_INSTANCES, 200), 100);
    assert_int_equal(answered(cloudlet, SIM_API_DESCRIBE_INSTANCES, 200), 100);
    cluster_run(cloudlet->world, SECONDS(2));
    assert_int_equal(answered(cloudlet, SIM_API_CREATE_FLEET, 200), 10);
    assert_int_equal(answered(cloudlet, SIM_API_TERMINATE_INSTANCES, 200), 10);
    assert_int_equal(answered(cloudlet, SIM_API_DESCRIBE_INSTANCES, 200), 40);
    cluster_run(cloudlet->world, MINUTES(60));
    assert_int_equal(answered(cloudlet, SIM_API_DESCRIBE_INSTANCES, 200), 100); // never more than its size
    cloudlet_free(cloudlet);
}

TEST(tokens_come_back_in_parts) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0});

    assert_int_equal(answered(cloudlet, SIM_API_CREATE_FLEET, 51), 50);
    cluster_run(cloudlet->world, MILLISECONDS(199));
    assert_int_equal(answered(cloudlet, SIM_API_CREATE_FLEET, 1), 0);
    cluster_run(cloudlet->world, MILLISECONDS(1));
    assert_int_equal(answered(cloudlet, SIM_API_CREATE_FLEET, 2), 1);
    sim_cloud_fault_throttle(cloudlet->cloud, 0);
    cluster_run(cloudlet->world, MINUTES(10));
    assert_int_equal(answered(cloudlet, SIM_API_CREATE_FLEET, 1), 0);
    sim_cloud_fault_throttle(cloudlet->cloud, 100);
    cluster_run(cloudlet->world, SECONDS(1));
    assert_int_equal(answered(cloudlet, SIM_API_CREATE_FLEET, 10), 5);
    cloudlet_free(cloudlet);
}

TEST(an_unthrottled_cloud_counts_calls_and_refuses_none) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){.unthrottled = true});
    SimApiCount count;

    assert_int_equal(answered(cloudlet, SIM_API_TERMINATE_INSTANCES, 5000), 5000);
    count = sim_cloud_api_count(cloudlet->cloud, SIM_API_TERMINATE_INSTANCES);
    assert_int_equal(count.calls, 5000);
    assert_int_equal(count.throttled, 0);
    cloudlet_free(cloudlet);
}

// aws.md 2.2: a window ends after 35 ms without calls for CreateFleet, 100 ms for others, and always after a second.
TEST(a_window_ends_by_silence_or_age) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0});

    call(cloudlet, SIM_API_CREATE_FLEET, 7);
    cluster_run(cloudlet->world, MILLISECONDS(35));
    call(cloudlet, SIM_API_CREATE_FLEET, 7);
    assert_int_equal(sim_cloud_api_count(cloudlet->cloud, SIM_API_CREATE_FLEET).calls, 1);
    cluster_run(cloudlet->world, MILLISECONDS(36));
    call(cloudlet, SIM_API_CREATE_FLEET, 7);
    assert_int_equal(sim_cloud_api_count(cloudlet->cloud, SIM_API_CREATE_FLEET).calls, 2);
    for (uint32_t i = 0; i < 11; i++) { // no long pauses, but at the eleventh call the window is 1.1 s old
        call(cloudlet, SIM_API_TERMINATE_INSTANCES, 1);
        cluster_run(cloudlet->world, MILLISECONDS(100));
    }
    assert_int_equal(sim_cloud_api_count(cloudlet->cloud, SIM_API_TERMINATE_INSTANCES).calls, 1);
    call(cloudlet, SIM_API_TERMINATE_INSTANCES, 1);
    assert_int_equal(sim_cloud_api_count(cloudlet->cloud, SIM_API_TERMINATE_INSTANCES).calls, 2);
    cloudlet_free(cloudlet);
}

TEST(calls_are_joined_up_to_a_bound_and_by_kind) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0});
    SimApiCount count;

    for (uint32_t i = 0; i < 1001; i++)
        call(cloudlet, SIM_API_CREATE_FLEET, 7);
    for (uint32_t i = 0; i < 501; i++)
        call(cloudlet, SIM_API_DESCRIBE_INSTANCES, 1);
    call(cloudlet, SIM_API_DESCRIBE_INSTANCES, 2);
    call(cloudlet, SIM_API_DESCRIBE_INSTANCES, 0);
    call(cloudlet, SIM_API_DESCRIBE_INSTANCES, 2);
    count = sim_cloud_api_count(cloudlet->cloud, SIM_API_CREATE_FLEET);
    assert_int_equal(count.calls, 2);
    assert_int_equal(count.joined, 999);
    count = sim_cloud_api_count(cloudlet->cloud, SIM_API_DESCRIBE_INSTANCES);
    assert_int_equal(count.calls, 4);
    assert_int_equal(count.joined, 500);
    cloudlet_free(cloudlet);
}

TEST(callers_that_join_a_call_share_its_result) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0});
    SimApiCount count;

    answered(cloudlet, SIM_API_CREATE_FLEET, 50);
    assert_int_equal(call(cloudlet, SIM_API_CREATE_FLEET, 7), ERR_THROTTLED);
    assert_int_equal(call(cloudlet, SIM_API_CREATE_FLEET, 7), ERR_THROTTLED);
    count = sim_cloud_api_count(cloudlet->cloud, SIM_API_CREATE_FLEET);
    assert_int_equal(count.throttled, 1);
    assert_int_equal(count.joined, 1);
    sim_cloud_fault_freeze(cloudlet->cloud, true);
    assert_int_equal(call(cloudlet, SIM_API_CREATE_FLEET, 7), ERR_TIMEOUT);
    assert_int_equal(sim_cloud_api_count(cloudlet->cloud, SIM_API_CREATE_FLEET).failed, 1);
    assert_int_equal(sim_cloud_api_count(cloudlet->cloud, SIM_API_CREATE_FLEET).calls, 51); // the call was not made
    cloudlet_free(cloudlet);
}

TEST(failures_say_what_ec2_says) {
    Cloudlet *cloudlet = cloudlet_new(1, (SimCloudConfig){0});
    CloudError error = {0};

    sim_cloud_fault_api_errors(cloudlet->cloud, 100);
    assert_int_equal(cloud_limit_call(cloudlet->cloud, SIM_API_CREATE_FLEET, 0, &error), ERR_IO);
    assert_string_equal(error.err.text, "CreateFleet: InternalError: An internal error has occurred");
    assert_string_equal(error.reason, "InternalError");
    error = (CloudError){0};
    sim_cloud_fault_freeze(cloudlet->cloud, true);
    assert_int_equal(cloud_limit_call(cloudlet->cloud, SIM_API_TERMINATE_INSTANCES, 0, &error), ERR_TIMEOUT);
    assert_string_equal(error.err.text, "TerminateInstances: RequestTimeout: no answer");
    assert_string_equal(error.reason, ""); // LaunchFailed
    cloudlet_free(cloudlet);
}
