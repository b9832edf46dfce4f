// nodeclaim.reboot: fence, drain, call, and the way back. Reference changes.md 2.
#include "ctl/node/reboot.h"
#include "ctl/node_env.h"

static void set_boot_id(TestEnv *env, const char *id) {
    env_put(env, "{kind: Node, metadata: {name: n1}, status: {nodeInfo: {bootID: %s}}}", id);
}

// The node of claim "a", whose reboot was requested at the start.
static TestEnv *requested(const char *bound) {
    TestEnv *env = node_env(&reboot_controller, &eviction_queue_controller);

    set_boot_id(env, "first");
    env_put(env,
            "{kind: NodeClaim, metadata: {name: a, annotations: {karpenter.sh/reboot-termination-grace-period: %s}},"
            " status: {conditions: [Launched, Registered, Initialized, Ready, Rebooting=True/RebootRequested]}}",
            bound);
    return env;
}

static bool is_fenced(TestEnv *env) {
    return strstr(env_part(env, KUBE_NODE, "n1", "spec.taints"), "karpenter.sh/rebooting");
}

static const char *rebooting(TestEnv *env) {
    return env_condition(env, KUBE_NODE_CLAIM, "a", "Rebooting");
}

TEST(an_empty_node_is_fenced_for_five_seconds_and_then_rebooted) {
    TestEnv *env = requested("10m");
    const char *said = env_run(env, "4s");

    assert_true(is_fenced(env));
    assert_int_equal(env_times(said, "reboot kwok://a"), 0);
    said = env_run(env, "2s");
    assert_int_equal(env_times(said, "reboot kwok://a"), 1);
    assert_string_equal(env_part(env, KUBE_NODE_CLAIM, "a", "metadata.annotations.'karpenter.sh/reboot-pre-boot-id'"),
                        "\"first\"");
    assert_string_equal(rebooting(env), "True/RebootIssued: the cloud was asked to reboot the node");
    assert_string_equal(env_condition(env, KUBE_NODE_CLAIM, "a", "Initialized"),
                        "Unknown/Rebooting: the node is being rebooted");
    env_free(env);
}

TEST(its_pods_are_evicted_before_that) {
    TestEnv *env = requested("10m");
    const char *said;

    put_pod(env, "p", "", "");
    said = env_run(env, "30s");
    assert_int_equal(env_times(said, "evict pod/default/p"), 1);
    assert_int_equal(env_times(said, "reboot kwok://a"), 0);
    env_remove(env, KUBE_POD, "p");
    env_tell(env);
    assert_int_equal(env_times(env_run(env, "1s"), "reboot kwok://a"), 1);
    env_free(env);
}

TEST(pods_that_must_stay_ride_the_reboot_when_the_bound_is_over) {
    TestEnv *env = requested("3m");
    const char *said;

    put_pod(env, "p", DO_NOT_DISRUPT, "");
    said = env_run(env, "2m59s");
    assert_int_equal(env_times(said, "evict pod"), 0);
    assert_int_equal(env_times(said, "reboot kwok"), 0);
    said = env_run(env, "2s");
    assert_int_equal(env_times(said, "reboot kwok://a"), 1);
    assert_int_equal(env_times(said, "delete pod"), 0);
    env_free(env);
}

TEST(another_boot_id_ends_the_fence_and_readiness_the_reboot) {
    TestEnv *env = requested("10m");
    const char *said;

    (void)env_run(env, "10s");
    env_put(env, "{kind: Node, metadata: {name: n1}, status: {conditions: [Ready=False]}}");
    set_boot_id(env, "second");
    said = env_run(env, "20s");
    assert_says(said, "event Normal nodeclaim/a RebootObserved: the machine has restarted");
    assert_false(is_fenced(env));
    assert_says(rebooting(env), "True/RebootIssued");
    env_put(env, "{kind: Node, metadata: {name: n1}, status: {conditions: [Ready]}}");
    (void)env_run(env, "1s");
    assert_string_equal(rebooting(env), "False/RebootSucceeded: the node is ready after its reboot");
    assert_string_equal(env_part(env, KUBE_NODE_CLAIM, "a", "metadata.annotations.'karpenter.sh/reboot-pre-boot-id'"),
                        "");
    assert_int_equal(env_times(env_run(env, "1h"), "reboot kwok"), 0);
    env_free(env);
}

TEST(a_machine_that_has_restarted_is_not_rebooted_again) {
    TestEnv *env = requested("10m");

    env_put(env, "{kind: NodeClaim, metadata: {name: a, annotations: {karpenter.sh/reboot-pre-boot-id: zeroth}}}");
    assert_int_equal(env_times(env_run(env, "20s"), "reboot kwok://a"), 0); // the process died after its call
    assert_string_equal(rebooting(env), "False/RebootSucceeded: the node is ready after its reboot");
    env_free(env);
}

TEST(what_the_cloud_refuses_is_final) {
    TestEnv *env = requested("10m");
    const char *said;

    (void)env_run(env, "4s");
    env_pass(env, "2s");
    while (!strstr(env_reconcile(env, "a"), "reboot kwok"))
        env_carry_out(env);
    env_fail(env, 0, ERR_DENIED, "not authorized to perform ec2:RebootInstances");
    said = env_run(env, "1s");
    assert_says(said, "event Warning nodeclaim/a RebootFailed: not authorized to perform ec2:RebootInstances");
    assert_says(said, "delete nodeclaim/a");
    assert_int_equal(env_times(said, "reboot kwok"), 0);
    env_free(env);
}

TEST(what_the_cloud_cannot_say_now_is_asked_again_for_five_minutes) {
    TestEnv *env = requested("10m");
    uint32_t asked = 0;

    (void)env_run(env, "4s");
    env_pass(env, "2s");
    for (; asked < 100 && env_has(env, KUBE_NODE_CLAIM, "a"); env_pass(env, "30s")) {
        const char *said = env_reconcile(env, "a");

        if (strstr(said, "delete nodeclaim/a"))
            break;
        if (!strstr(said, "reboot kwok"))
            env_carry_out(env);
        else {
            env_fail(env, 0, ERR_THROTTLED, "RequestLimitExceeded");
            asked++;
        }
    }
    assert_in_range(asked, 9, 12);
    env_free(env);
}

TEST(a_node_that_does_not_come_back_is_replaced) {
    TestEnv *env = requested("10m");
    const char *said;

    (void)env_run(env, "10s");
    env_put(env, "{kind: Node, metadata: {name: n1}, status: {conditions: [Ready=Unknown]}}");
    assert_int_equal(env_times(env_run(env, "19m50s"), "delete nodeclaim/a"), 0);
    said = env_run(env, "30s");
    assert_says(said, "RebootFailed: the node was not ready 20 minutes after its reboot");
    assert_says(said, "delete nodeclaim/a");
    env_free(env);
}

TEST(a_bound_that_is_no_duration_leaves_the_node_as_it_is) {
    TestEnv *env = requested("soon");
    const char *said = env_run(env, "1m");

    assert_says(said, "event Warning nodeclaim/a RebootFailed: the annotation");
    assert_says(rebooting(env), "False/RebootFailed");
    assert_int_equal(env_times(said, "delete nodeclaim/a"), 0);
    assert_int_equal(env_times(said, "reboot kwok"), 0);
    env_free(env);
}

TEST(a_claim_that_is_deleted_meanwhile_is_left_to_its_termination) {
    TestEnv *env = requested("10m");

    (void)env_run(env, "2s");
    env_delete(env, KUBE_NODE_CLAIM, "a");
    assert_int_equal(env_times(env_run(env, "1h"), "reboot kwok"), 0);
    env_free(env);
}
