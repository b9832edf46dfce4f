// nodeclaim.lifecycle, liveness: each timer of reference lifecycle.md 2.6.
#include "base/time.h"
#include "ctl/support/claim_env.h"

TEST(launch_timeout_after_5_minutes) {
    TestEnv *env = claim_env();
    const char *history;

    env_break(env, INTENT_LAUNCH, 100, ERR_IO, "no network");
    put_claim(env, "");
    assert_does_not_say(env_run(env, "4m59s"), "delete");
    history = env_run(env, "1m5s");
    assert_says(history, "log info terminating due to timeout NodeClaim=a timeout=5m0s reason=launch_timeout");
    assert_says(history, "event Warning nodeclaim/a LaunchTimeout: NodeClaim a was not launched within 5m0s");
    assert_false(env_has(env, KUBE_NODE_CLAIM, "a"));
    env_free(env);
}

TEST(launch_timeout_can_be_set) {
    Settings settings = env_settings();
    TestEnv *env;

    settings.launch_timeout_ns = 30 * NS_PER_S;
    env = env_new(&claim_lifecycle_controller, &settings);
    env_break(env, INTENT_LAUNCH, 100, ERR_IO, "no network");
    put_claim(env, "");
    assert_says(env_run(env, "31s"), "timeout=30s reason=launch_timeout");
    env_free(env);
}

TEST(registration_timeout_after_15_minutes) {
    TestEnv *env = claim_env_launched("");
    const char *history;

    assert_does_not_say(env_run(env, "14m58s"), "delete");
    history = env_run(env, "1s");
    assert_says(history, "log info terminating due to timeout NodeClaim=a timeout=15m0s reason=registration_timeout");
    assert_says(history,
                "event Warning nodeclaim/a RegistrationTimeout: NodeClaim a did not register as a node within 15m0s");
    env_run(env, "1m");
    assert_false(env_has(env, KUBE_NODE_CLAIM, "a"));
    assert_int_equal(env_instances_alive(env), 0);
    env_free(env);
}

TEST(registration_timeout_counts_from_the_creation) {
    TestEnv *env = claim_env();

    env_break(env, INTENT_LAUNCH, 6, ERR_IO, "no network");
    put_claim(env, "");
    env_run(env, "2m");
    assert_string_equal(env_condition(env, KUBE_NODE_CLAIM, "a", "Launched"), "True/Launched");
    assert_does_not_say(env_run(env, "12m59s"), "delete");
    assert_says(env_run(env, "1s"), "reason=registration_timeout");
    env_free(env);
}

TEST(registered_in_time) {
    TestEnv *env = claim_env_launched("");

    env_run(env, "14m");
    put_joining_node(env, "");
    env_run(env, "1s");
    assert_string_equal(env_run(env, "1h"), "");
    assert_true(env_has(env, KUBE_NODE_CLAIM, "a"));
    env_free(env);
}

TEST(a_restart_does_not_begin_the_timers_anew) {
    TestEnv *env = claim_env_launched("");

    env_run(env, "10m");
    env_restart(env);
    assert_says(env_run(env, "5m"), "reason=registration_timeout");
    env_free(env);
}

// The instance is launched but the claim cannot be written: the registration timeout deletes the claim, and the
// instance is terminated though it was in no status.
TEST(registration_timeout_of_a_claim_that_cannot_be_written) {
    TestEnv *env = claim_env();

    put_claim(env, "");
    for (int i = 0; i < 2; i++) { // finalizer, launch
        env_reconcile(env, "a");
        env_carry_out(env);
    }
    env_break(env, INTENT_PATCH, 22, ERR_INVALID, "metadata.labels: Invalid value"); // for 17 minutes
    assert_does_not_say(env_run(env, "14m59s"), "delete");
    assert_string_equal(env_conditions(env, KUBE_NODE_CLAIM, "a"), "");
    assert_says(env_run(env, "1m"), "reason=registration_timeout");
    env_run(env, "10m");
    assert_false(env_has(env, KUBE_NODE_CLAIM, "a"));
    assert_int_equal(env_instances_alive(env), 0);
    env_free(env);
}

TEST(a_timeout_whose_deletion_fails_is_tried_again) {
    TestEnv *env = claim_env_launched("");
    const char *history;

    env_break(env, INTENT_REMOVE, 3, ERR_IO, "etcd is away");
    history = env_run(env, "16m");
    assert_int_equal(env_times(history, "reason=registration_timeout"), 1);
    assert_int_equal(env_times(history, "delete nodeclaim/a"), 4);
    assert_false(env_has(env, KUBE_NODE_CLAIM, "a"));
    env_free(env);
}

// Registered False is terminal, and its time counts from then on (2.4).
TEST(registration_timeout_of_multiple_nodes) {
    TestEnv *env = claim_env_launched("");

    env_run(env, "10m");
    env_put(env, "{kind: Node, metadata: {name: one}, spec: {providerID: 'kwok://a'}}\n---\n"
                 "{kind: Node, metadata: {name: two}, spec: {providerID: 'kwok://a'}}");
    assert_does_not_say(env_run(env, "14m59s"), "delete");
    assert_says(env_run(env, "1s"), "reason=registration_timeout");
    env_run(env, "1m");
    assert_int_equal(env_instances_alive(env), 0);
    assert_int_equal(env_count(env, KUBE_NODE), 2); // the cloud controller manager's
    env_free(env);
}
