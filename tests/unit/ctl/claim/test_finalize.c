// nodeclaim.lifecycle, deletion: reference lifecycle.md 2.8, and a life that is interrupted everywhere (law 5).
#include "ctl/claim/hydration.h"
#include "ctl/node/termination.h"
#include "ctl/support/claim_stage.h"

// --- 1: the deadline

TEST(the_grace_period_becomes_a_deadline) {
    Stage *stage = claim_stage_initialized("terminationGracePeriod: 1h");
    const char *history;

    stage_delete(stage, KUBE_NODE_CLAIM, "a"); // at 00:00:03
    stage_pass(stage, "1m");
    history = stage_run(stage, "1s");
    assert_string_equal(
        stage_part(stage, KUBE_NODE_CLAIM, "a", "metadata.annotations.'karpenter.sh/nodeclaim-termination-timestamp'"),
        "\"2026-01-05T01:00:03Z\"");
    assert_says(history, "log info annotated nodeclaim NodeClaim=a "
                         "karpenter.sh/nodeclaim-termination-timestamp=2026-01-05T01:00:03Z");
    assert_int_equal(stage_times(history, "event Warning nodeclaim/a TerminationGracePeriodExpiring: All pods will be "
                                          "deleted by 2026-01-05T01:00:03Z"),
                     1);
    stage_free(stage);
}

TEST(a_deadline_that_is_there_stands) {
    Stage *stage = claim_stage_initialized("terminationGracePeriod: 1h");

    stage_put(stage, "{kind: NodeClaim, metadata: {name: a, annotations: "
                     "{karpenter.sh/nodeclaim-termination-timestamp: '2026-01-05T00:10:00Z'}}}");
    stage_delete(stage, KUBE_NODE_CLAIM, "a");
    stage_run(stage, "1s");
    assert_string_equal(
        stage_part(stage, KUBE_NODE_CLAIM, "a", "metadata.annotations.'karpenter.sh/nodeclaim-termination-timestamp'"),
        "\"2026-01-05T00:10:00Z\"");
    stage_free(stage);
}

// Node repair sets one in the same moment.
TEST(a_deadline_that_comes_meanwhile_stands) {
    Stage *stage = claim_stage_initialized("terminationGracePeriod: 1h");

    stage_delete(stage, KUBE_NODE_CLAIM, "a");
    stage_put_unseen(stage, "{kind: NodeClaim, metadata: {name: a, annotations: "
                            "{karpenter.sh/nodeclaim-termination-timestamp: '2026-01-05T00:10:00Z'}}}");
    assert_says(stage_reconcile(stage, "a"), "patch nodeclaim/a locked");
    stage_carry_out(stage); // conflict
    stage_run(stage, "1m");
    assert_string_equal(
        stage_part(stage, KUBE_NODE_CLAIM, "a", "metadata.annotations.'karpenter.sh/nodeclaim-termination-timestamp'"),
        "\"2026-01-05T00:10:00Z\"");
    stage_free(stage);
}

TEST(without_grace_period_there_is_no_deadline) {
    Stage *stage = claim_stage_initialized("");

    stage_delete(stage, KUBE_NODE_CLAIM, "a");
    stage_run(stage, "1s");
    assert_string_equal(stage_part(stage, KUBE_NODE_CLAIM, "a", "metadata.annotations"), "");
    stage_free(stage);
}

// --- 2: Nodes

TEST(the_node_goes_before_the_instance) {
    Stage *stage = claim_stage_initialized("");
    const char *history;

    stage_delete(stage, KUBE_NODE_CLAIM, "a");
    history = stage_run(stage, "1h");
    assert_int_equal(stage_times(history, "delete node/node-a"), 1);
    assert_does_not_say(history, "terminate");
    assert_true(stage_has(stage, KUBE_NODE_CLAIM, "a"));
    stage_remove(stage, KUBE_NODE, "node-a"); // node.termination took its finalizer off
    assert_says(stage_run(stage, "0s"), "terminate kwok://a");
    stage_free(stage);
}

TEST(all_nodes_of_the_instance_go) {
    Stage *stage = claim_stage_registered("");
    const char *history;

    stage_put(stage, "{kind: Node, metadata: {name: twin, finalizers: [example.com/hold]}, spec: {providerID: "
                     "'kwok://a'}}");
    stage_delete(stage, KUBE_NODE_CLAIM, "a");
    history = stage_run(stage, "1s");
    assert_says(history, "delete node/node-a");
    assert_says(history, "delete node/twin");
    stage_remove(stage, KUBE_NODE, "node-a");
    assert_does_not_say(stage_run(stage, "1s"), "terminate");
    stage_remove(stage, KUBE_NODE, "twin");
    assert_says(stage_run(stage, "1s"), "terminate");
    stage_free(stage);
}

TEST(a_node_that_is_deleting_is_not_deleted_again) {
    Stage *stage = claim_stage_registered("");

    stage_delete(stage, KUBE_NODE, "node-a");
    stage_delete(stage, KUBE_NODE_CLAIM, "a");
    assert_does_not_say(stage_run(stage, "1m"), "delete node");
    stage_free(stage);
}

TEST(nodes_of_an_unregistered_claim_are_left_alone) {
    Stage *stage = claim_stage_launched("");
    const char *history;

    put_joining_node(stage, "");
    stage_delete(stage, KUBE_NODE_CLAIM, "a");
    history = stage_run(stage, "1m");
    assert_does_not_say(history, "delete node");
    assert_says(history, "terminate kwok://a");
    assert_false(stage_has(stage, KUBE_NODE_CLAIM, "a"));
    assert_true(stage_has(stage, KUBE_NODE, "node-a"));
    stage_free(stage);
}

// The process died between the two writes of the registration: pods may be on the Node though the claim does not say
// so.
TEST(a_node_that_was_registered_unsaid_goes_before_the_instance) {
    Stage *stage = claim_stage_launched("");
    const char *history;

    put_joining_node(stage, "");
    stage_die_after(stage, 1);
    stage_reconcile(stage, "a");
    stage_carry_out(stage);
    assert_says(stage_condition(stage, KUBE_NODE_CLAIM, "a", "Registered"), "Unknown");
    stage_delete(stage, KUBE_NODE_CLAIM, "a");
    stage_restart(stage);
    history = stage_run(stage, "1m");
    assert_says(history, "delete node/node-a");
    assert_does_not_say(history, "terminate");
    stage_remove(stage, KUBE_NODE, "node-a");
    assert_says(stage_run(stage, "0s"), "terminate kwok://a");
    stage_free(stage);
}

// --- 3: the instance

TEST(instance_terminating_once_the_cloud_accepted) {
    Stage *stage = claim_stage_launched("");

    stage_delete(stage, KUBE_NODE_CLAIM, "a");
    stage_run(stage, "0s");
    assert_string_equal(stage_condition(stage, KUBE_NODE_CLAIM, "a", "InstanceTerminating"),
                        "True/InstanceTerminating");
    stage_free(stage);
}

TEST(the_cloud_is_asked_every_5_seconds_until_not_found) {
    Stage *stage = claim_stage_launched("");
    const char *history;

    stage_cloud(stage)->terminate_takes_ns = 12 * NS_PER_S;
    stage_delete(stage, KUBE_NODE_CLAIM, "a");
    history = stage_run(stage, "1m");
    assert_says(history, "+0s terminate kwok://a");
    assert_says(history, "+5s terminate kwok://a");
    assert_says(history, "+10s terminate kwok://a");
    assert_says(history, "+15s terminate kwok://a");
    assert_says(history, "+15s log info deleted nodeclaim NodeClaim=a provider-id=kwok://a");
    assert_int_equal(stage_cloud(stage)->terminations, 4);
    assert_false(stage_has(stage, KUBE_NODE_CLAIM, "a"));
    stage_free(stage);
}

TEST(other_errors_of_the_cloud_are_tried_again) {
    Stage *stage = claim_stage_launched("");
    const char *history;

    stage_break(stage, INTENT_TERMINATE, 3, ERR_THROTTLED, "RequestLimitExceeded");
    stage_delete(stage, KUBE_NODE_CLAIM, "a");
    history = stage_run(stage, "5s");
    assert_int_equal(stage_times(history, "log error Reconciler error error=RequestLimitExceeded"), 3);
    assert_string_equal(stage_condition(stage, KUBE_NODE_CLAIM, "a", "InstanceTerminating"), "");
    stage_run(stage, "1m");
    assert_false(stage_has(stage, KUBE_NODE_CLAIM, "a"));
    assert_int_equal(stage_instances_alive(stage), 0);
    stage_free(stage);
}

TEST(an_instance_that_is_gone_already) {
    Stage *stage = claim_stage_launched("");

    stage_lose_instance(stage, "kwok://a");
    stage_delete(stage, KUBE_NODE_CLAIM, "a");
    stage_run(stage, "0s");
    assert_false(stage_has(stage, KUBE_NODE_CLAIM, "a"));
    assert_int_equal(stage_cloud(stage)->terminations, 1);
    stage_free(stage);
}

TEST(a_claim_that_never_launched_goes_at_once) {
    Stage *stage = claim_stage();

    stage_break(stage, INTENT_LAUNCH, 100, ERR_IO, "no network");
    put_claim(stage, "");
    stage_run(stage, "1s");
    stage_delete(stage, KUBE_NODE_CLAIM, "a");
    stage_run(stage, "0s");
    assert_false(stage_has(stage, KUBE_NODE_CLAIM, "a"));
    assert_int_equal(stage_cloud(stage)->terminations, 0);
    stage_free(stage);
}

// Deleted while the cloud was at it: the answer finds a claim that goes.
TEST(a_claim_that_is_deleted_during_its_launch) {
    Stage *stage = claim_stage();

    put_claim(stage, "");
    stage_reconcile(stage, "a"); // finalizer
    stage_carry_out(stage);
    assert_string_equal(stage_reconcile(stage, "a"), "launch a\n");
    stage_hold(stage);
    stage_delete(stage, KUBE_NODE_CLAIM, "a");
    stage_let_go(stage);
    assert_says(stage_run(stage, "0s"), "terminate kwok://a");
    stage_run(stage, "1m");
    assert_false(stage_has(stage, KUBE_NODE_CLAIM, "a"));
    assert_int_equal(stage_instances_alive(stage), 0);
    assert_int_equal(stage_cloud(stage)->launches, 1);
    stage_free(stage);
}

// Deleted while the launch was under way, before the status could tell of the instance.
TEST(a_launch_that_the_status_does_not_show_is_ended_too) {
    Stage *stage = claim_stage();

    put_claim(stage, "");
    for (int i = 0; i < 2; i++) { // finalizer, launch
        stage_reconcile(stage, "a");
        stage_carry_out(stage);
    }
    stage_delete(stage, KUBE_NODE_CLAIM, "a");
    stage_run(stage, "1m");
    assert_false(stage_has(stage, KUBE_NODE_CLAIM, "a"));
    assert_int_equal(stage_instances_alive(stage), 0);
    stage_free(stage);
}

TEST(a_claim_without_finalizer_that_is_deleting_is_no_matter) {
    Stage *stage = claim_stage();

    stage_put(stage, "{kind: NodeClaim, metadata: {name: a, finalizers: [example.com/hold]}}");
    stage_delete(stage, KUBE_NODE_CLAIM, "a");
    assert_string_equal(stage_run(stage, "1h"), "");
    stage_free(stage);
}

// --- 4: the finalizer

TEST(only_the_own_finalizer_is_taken_off) {
    Stage *stage = claim_stage();

    stage_put(stage, "{kind: NodeClaim, metadata: {name: a, finalizers: [example.com/hold]}}");
    stage_run(stage, "1s");
    stage_delete(stage, KUBE_NODE_CLAIM, "a");
    stage_run(stage, "1m");
    assert_string_equal(stage_part(stage, KUBE_NODE_CLAIM, "a", "metadata.finalizers"), "[\"example.com/hold\"]");
    assert_string_equal(stage_run(stage, "1h"), "");
    stage_free(stage);
}

// Somebody else's finalizer is taken off meanwhile: a list without lock would bring it back.
TEST(the_finalizer_is_taken_off_with_a_lock) {
    Stage *stage = claim_stage();

    stage_put(stage, "{kind: NodeClaim, metadata: {name: a, finalizers: [example.com/hold]}}");
    stage_run(stage, "1s");
    stage_lose_instance(stage, "kwok://a");
    stage_delete(stage, KUBE_NODE_CLAIM, "a");
    stage_reconcile(stage, "a"); // terminate: not found
    stage_carry_out(stage);
    stage_put_unseen(stage, "{kind: NodeClaim, metadata: {name: a, finalizers: [karpenter.sh/termination]}}");
    assert_says(stage_reconcile(stage, "a"),
                "patch nodeclaim/a locked {\"metadata\":{\"finalizers\":[\"example.com/hold\"]}}");
    stage_carry_out(stage); // conflict
    assert_string_equal(stage_part(stage, KUBE_NODE_CLAIM, "a", "metadata.finalizers"),
                        "[\"karpenter.sh/termination\"]");
    stage_run(stage, "1m");
    assert_false(stage_has(stage, KUBE_NODE_CLAIM, "a"));
    stage_free(stage);
}

// --- by hand, together with node.termination

static Stage *stage_with_termination(void) {
    Stage *stage = claim_stage();

    stage_add(stage, &claim_hydration_controller); // the label that makes a Node tenon's
    stage_add(stage, &node_termination_controller);
    put_claim(stage, "");
    stage_run(stage, "2s");
    put_joining_node(stage, "");
    stage_run(stage, "1s");
    put_node_ready(stage);
    stage_run(stage, "1s");
    assert_says(stage_conditions(stage, KUBE_NODE_CLAIM, "a"), "Initialized=True");
    return stage;
}

TEST(a_node_deleted_by_hand_takes_claim_and_instance_along) {
    Stage *stage = stage_with_termination();

    stage_delete(stage, KUBE_NODE, "node-a");
    stage_run(stage, "2m");
    assert_false(stage_has(stage, KUBE_NODE, "node-a"));
    assert_false(stage_has(stage, KUBE_NODE_CLAIM, "a"));
    assert_int_equal(stage_instances_alive(stage), 0);
    stage_free(stage);
}

TEST(a_claim_deleted_by_hand_takes_node_and_instance_along) {
    Stage *stage = stage_with_termination();
    const char *history;

    stage_delete(stage, KUBE_NODE_CLAIM, "a");
    history = stage_run(stage, "2m");
    assert_false(stage_has(stage, KUBE_NODE, "node-a"));
    assert_false(stage_has(stage, KUBE_NODE_CLAIM, "a"));
    assert_int_equal(stage_instances_alive(stage), 0);
    assert_true(strstr(history, "delete node/node-a") < strstr(history, "terminate kwok://a"));
    stage_free(stage);
}

// Its finalizers were taken off: nothing tells that it went but its absence. The claim keeps its instance, and ends it
// when it goes itself.
TEST(a_node_that_was_torn_out_leaves_a_claim_that_can_end) {
    Stage *stage = stage_with_termination();

    stage_remove(stage, KUBE_NODE, "node-a");
    stage_run(stage, "1h");
    assert_true(stage_has(stage, KUBE_NODE_CLAIM, "a"));
    assert_int_equal(stage_instances_alive(stage), 1);
    stage_delete(stage, KUBE_NODE_CLAIM, "a");
    stage_run(stage, "1m");
    assert_false(stage_has(stage, KUBE_NODE_CLAIM, "a"));
    assert_int_equal(stage_instances_alive(stage), 0);
    stage_free(stage);
}

// --- law 5

// A claim from its creation to its end, with a process that dies after `intents` intents. Whether there were so many.
static bool live_and_die(uint32_t intents) {
    Stage *stage = claim_stage();
    bool died;

    stage_die_after(stage, intents);
    put_claim(stage, "terminationGracePeriod: 1h, startupTaints: [{key: cilium, effect: NoExecute}]");
    stage_run(stage, "1s");
    put_joining_node(stage, "");
    stage_run(stage, "2s");
    put_node_ready(stage);
    stage_put(stage, "{kind: Node, metadata: {name: node-a}, spec: {taints: null}}");
    stage_run(stage, "2s");
    assert_string_equal(stage_conditions(stage, KUBE_NODE_CLAIM, "a"),
                        "Launched=True/Launched Registered=True/Registered Initialized=True/Initialized "
                        "ConsistentStateFound=True/ConsistentStateFound Ready=True/Ready");
    assert_int_equal(stage_instances_alive(stage), 1);
    stage_delete(stage, KUBE_NODE_CLAIM, "a");
    stage_run(stage, "2s");
    assert_says(stage_part(stage, KUBE_NODE_CLAIM, "a", "metadata.annotations"), "2026-01-05T01:00:05Z");
    assert_int_equal(stage_instances_alive(stage), 1);
    stage_remove(stage, KUBE_NODE, "node-a");
    stage_run(stage, "1m");
    assert_false(stage_has(stage, KUBE_NODE_CLAIM, "a"));
    assert_int_equal(stage_instances_alive(stage), 0);
    assert_int_equal(stage_cloud(stage)->instances.count, 1); // launched once
    died = !stage_is_dying(stage);
    stage_free(stage);
    return died;
}

TEST(killed_between_any_two_intents_it_finishes_the_work) {
    uint32_t intents = 0;

    while (live_and_die(intents))
        intents++;
    assert_true(intents > 10);
}
