// nodeclaim.lifecycle, liveness: each timer of reference lifecycle.md 2.6.
#include "base/time.h"
#include "ctl/support/claim_stage.h"

TEST(launch_timeout_after_5_minutes) {
    Stage *stage = claim_stage();
    const char *history;

    stage_break(stage, INTENT_LAUNCH, 100, ERR_IO, "no network");
    put_claim(stage, "");
    assert_does_not_say(stage_run(stage, "4m59s"), "delete");
    history = stage_run(stage, "1m5s");
    assert_says(history, "log info terminating due to timeout NodeClaim=a timeout=5m0s reason=launch_timeout");
    assert_says(history, "event Warning nodeclaim/a LaunchTimeout: NodeClaim a was not launched within 5m0s");
    assert_false(stage_has(stage, KUBE_NODE_CLAIM, "a"));
    stage_free(stage);
}

TEST(launch_timeout_can_be_set) {
    Settings settings = stage_settings();
    Stage *stage;

    settings.launch_timeout_ns = 30 * NS_PER_S;
    stage = stage_new(&claim_lifecycle_controller, &settings);
    stage_break(stage, INTENT_LAUNCH, 100, ERR_IO, "no network");
    put_claim(stage, "");
    assert_says(stage_run(stage, "31s"), "timeout=30s reason=launch_timeout");
    stage_free(stage);
}

TEST(registration_timeout_after_15_minutes) {
    Stage *stage = claim_stage_launched("");
    const char *history;

    assert_string_equal(stage_run(stage, "14m58s"), "");
    history = stage_run(stage, "1s");
    assert_says(history, "log info terminating due to timeout NodeClaim=a timeout=15m0s reason=registration_timeout");
    assert_says(history,
                "event Warning nodeclaim/a RegistrationTimeout: NodeClaim a did not register as a node within 15m0s");
    stage_run(stage, "1m");
    assert_false(stage_has(stage, KUBE_NODE_CLAIM, "a"));
    assert_int_equal(stage_instances_alive(stage), 0);
    stage_free(stage);
}

TEST(registration_timeout_counts_from_the_creation) {
    Stage *stage = claim_stage();

    stage_break(stage, INTENT_LAUNCH, 6, ERR_IO, "no network");
    put_claim(stage, "");
    stage_run(stage, "2m");
    assert_string_equal(stage_condition(stage, KUBE_NODE_CLAIM, "a", "Launched"), "True/Launched");
    assert_string_equal(stage_run(stage, "12m59s"), "");
    assert_says(stage_run(stage, "1s"), "reason=registration_timeout");
    stage_free(stage);
}

TEST(registered_in_time) {
    Stage *stage = claim_stage_launched("");

    stage_run(stage, "14m");
    put_joining_node(stage, "");
    stage_run(stage, "1s");
    assert_string_equal(stage_run(stage, "1h"), "");
    assert_true(stage_has(stage, KUBE_NODE_CLAIM, "a"));
    stage_free(stage);
}

TEST(a_restart_does_not_begin_the_timers_anew) {
    Stage *stage = claim_stage_launched("");

    stage_run(stage, "10m");
    stage_restart(stage);
    assert_says(stage_run(stage, "5m"), "reason=registration_timeout");
    stage_free(stage);
}

// The instance is there but the claim cannot be told: it runs out of the time of its registration, and the instance
// ends though no status ever named it.
TEST(registration_timeout_of_a_claim_that_cannot_be_written) {
    Stage *stage = claim_stage();

    put_claim(stage, "");
    for (int i = 0; i < 2; i++) { // finalizer, launch
        stage_reconcile(stage, "a");
        stage_carry_out(stage);
    }
    stage_break(stage, INTENT_PATCH, 22, ERR_INVALID, "metadata.labels: Invalid value"); // for 17 minutes
    assert_does_not_say(stage_run(stage, "14m59s"), "delete");
    assert_string_equal(stage_conditions(stage, KUBE_NODE_CLAIM, "a"), "");
    assert_says(stage_run(stage, "1m"), "reason=registration_timeout");
    stage_run(stage, "10m");
    assert_false(stage_has(stage, KUBE_NODE_CLAIM, "a"));
    assert_int_equal(stage_instances_alive(stage), 0);
    stage_free(stage);
}

TEST(a_timeout_whose_deletion_fails_is_tried_again) {
    Stage *stage = claim_stage_launched("");
    const char *history;

    stage_break(stage, INTENT_REMOVE, 3, ERR_IO, "etcd is away");
    history = stage_run(stage, "16m");
    assert_int_equal(stage_times(history, "reason=registration_timeout"), 1);
    assert_int_equal(stage_times(history, "delete nodeclaim/a"), 4);
    assert_false(stage_has(stage, KUBE_NODE_CLAIM, "a"));
    stage_free(stage);
}

// Registered False is terminal, and its time counts from then on (2.4).
TEST(registration_timeout_of_multiple_nodes) {
    Stage *stage = claim_stage_launched("");

    stage_run(stage, "10m");
    stage_put(stage, "{kind: Node, metadata: {name: one}, spec: {providerID: 'kwok://a'}}\n---\n"
                     "{kind: Node, metadata: {name: two}, spec: {providerID: 'kwok://a'}}");
    assert_does_not_say(stage_run(stage, "14m59s"), "delete");
    assert_says(stage_run(stage, "1s"), "reason=registration_timeout");
    stage_run(stage, "1m");
    assert_int_equal(stage_instances_alive(stage), 0);
    assert_int_equal(stage_count(stage, KUBE_NODE), 2); // the cloud controller manager's
    stage_free(stage);
}
