// nodeclaim.lifecycle, deletion: reference lifecycle.md 2.8, also with a process killed after any intent (law 5).
#include "ctl/claim/hydration.h"
#include "ctl/node/termination.h"
#include "ctl/support/claim_env.h"

// --- 1: the deadline

TEST(the_grace_period_becomes_a_deadline) {
    TestEnv *env = claim_env_initialized("terminationGracePeriod: 1h");
    const char *history;

    env_delete(env, KUBE_NODE_CLAIM, "a"); // at 00:00:03
    env_pass(env, "1m");
    history = env_run(env, "1s");
    assert_string_equal(
        env_part(env, KUBE_NODE_CLAIM, "a", "metadata.annotations.'karpenter.sh/nodeclaim-termination-timestamp'"),
        "\"2026-01-05T01:00:03Z\"");
    assert_says(history, "log info annotated nodeclaim NodeClaim=a "
                         "karpenter.sh/nodeclaim-termination-timestamp=2026-01-05T01:00:03Z");
    assert_int_equal(env_times(history, "event Warning nodeclaim/a TerminationGracePeriodExpiring: All pods will be "
                                        "deleted by 2026-01-05T01:00:03Z"),
                     1);
    env_free(env);
}

TEST(a_deadline_that_is_there_stands) {
    TestEnv *env = claim_env_initialized("terminationGracePeriod: 1h");

    env_put(env, "{kind: NodeClaim, metadata: {name: a, annotations: "
                 "{karpenter.sh/nodeclaim-termination-timestamp: '2026-01-05T00:10:00Z'}}}");
    env_delete(env, KUBE_NODE_CLAIM, "a");
    env_run(env, "1s");
    assert_string_equal(
        env_part(env, KUBE_NODE_CLAIM, "a", "metadata.annotations.'karpenter.sh/nodeclaim-termination-timestamp'"),
        "\"2026-01-05T00:10:00Z\"");
    env_free(env);
}

// Node repair sets a deadline at the same time.
TEST(a_deadline_that_comes_meanwhile_stands) {
    TestEnv *env = claim_env_initialized("terminationGracePeriod: 1h");

    env_delete(env, KUBE_NODE_CLAIM, "a");
    env_put_unseen(env, "{kind: NodeClaim, metadata: {name: a, annotations: "
                        "{karpenter.sh/nodeclaim-termination-timestamp: '2026-01-05T00:10:00Z'}}}");
    assert_says(env_reconcile(env, "a"), "patch nodeclaim/a locked");
    env_carry_out(env); // conflict
    env_run(env, "1m");
    assert_string_equal(
        env_part(env, KUBE_NODE_CLAIM, "a", "metadata.annotations.'karpenter.sh/nodeclaim-termination-timestamp'"),
        "\"2026-01-05T00:10:00Z\"");
    env_free(env);
}

TEST(without_grace_period_there_is_no_deadline) {
    TestEnv *env = claim_env_initialized("");

    env_delete(env, KUBE_NODE_CLAIM, "a");
    env_run(env, "1s");
    assert_string_equal(env_part(env, KUBE_NODE_CLAIM, "a", "metadata.annotations"), "");
    env_free(env);
}

// --- 2: Nodes

TEST(the_node_goes_before_the_instance) {
    TestEnv *env = claim_env_initialized("");
    const char *history;

    env_delete(env, KUBE_NODE_CLAIM, "a");
    history = env_run(env, "1h");
    assert_int_equal(env_times(history, "delete node/node-a"), 1);
    assert_does_not_say(history, "terminate");
    assert_true(env_has(env, KUBE_NODE_CLAIM, "a"));
    env_remove(env, KUBE_NODE, "node-a"); // node.termination took its finalizer off
    assert_says(env_run(env, "0s"), "terminate kwok://a");
    env_free(env);
}

TEST(all_nodes_of_the_instance_go) {
    TestEnv *env = claim_env_registered("");
    const char *history;

    env_put(env, "{kind: Node, metadata: {name: twin, finalizers: [example.com/hold]}, spec: {providerID: "
                 "'kwok://a'}}");
    env_delete(env, KUBE_NODE_CLAIM, "a");
    history = env_run(env, "1s");
    assert_says(history, "delete node/node-a");
    assert_says(history, "delete node/twin");
    env_remove(env, KUBE_NODE, "node-a");
    assert_does_not_say(env_run(env, "1s"), "terminate");
    env_remove(env, KUBE_NODE, "twin");
    assert_says(env_run(env, "1s"), "terminate");
    env_free(env);
}

TEST(a_node_that_is_deleting_is_not_deleted_again) {
    TestEnv *env = claim_env_registered("");

    env_delete(env, KUBE_NODE, "node-a");
    env_delete(env, KUBE_NODE_CLAIM, "a");
    assert_does_not_say(env_run(env, "1m"), "delete node");
    env_free(env);
}

TEST(nodes_of_an_unregistered_claim_are_left_alone) {
    TestEnv *env = claim_env_launched("");
    const char *history;

    put_joining_node(env, "");
    env_delete(env, KUBE_NODE_CLAIM, "a");
    history = env_run(env, "1m");
    assert_does_not_say(history, "delete node");
    assert_says(history, "terminate kwok://a");
    assert_false(env_has(env, KUBE_NODE_CLAIM, "a"));
    assert_true(env_has(env, KUBE_NODE, "node-a"));
    env_free(env);
}

// The process died between the two writes of the registration: there may be pods on the Node, though the claim is not
// Registered.
TEST(a_node_that_was_registered_unsaid_goes_before_the_instance) {
    TestEnv *env = claim_env_launched("");
    const char *history;

    put_joining_node(env, "");
    env_die_after(env, 1);
    env_reconcile(env, "a");
    env_carry_out(env);
    assert_says(env_condition(env, KUBE_NODE_CLAIM, "a", "Registered"), "Unknown");
    env_delete(env, KUBE_NODE_CLAIM, "a");
    env_restart(env);
    history = env_run(env, "1m");
    assert_says(history, "delete node/node-a");
    assert_does_not_say(history, "terminate");
    env_remove(env, KUBE_NODE, "node-a");
    assert_says(env_run(env, "0s"), "terminate kwok://a");
    env_free(env);
}

// --- 3: the instance

TEST(instance_terminating_once_the_cloud_accepted) {
    TestEnv *env = claim_env_launched("");

    env_delete(env, KUBE_NODE_CLAIM, "a");
    env_run(env, "0s");
    assert_string_equal(env_condition(env, KUBE_NODE_CLAIM, "a", "InstanceTerminating"), "True/InstanceTerminating");
    env_free(env);
}

TEST(the_cloud_is_asked_every_5_seconds_until_not_found) {
    TestEnv *env = claim_env_launched("");
    const char *history;

    env_cloud(env)->terminate_takes_ns = 12 * NS_PER_S;
    env_delete(env, KUBE_NODE_CLAIM, "a");
    history = env_run(env, "1m");
    assert_says(history, "+0s terminate kwok://a");
    assert_says(history, "+5s terminate kwok://a");
    assert_says(history, "+10s terminate kwok://a");
    assert_says(history, "+15s terminate kwok://a");
    assert_says(history, "+15s log info deleted nodeclaim NodeClaim=a provider-id=kwok://a");
    assert_int_equal(env_cloud(env)->terminations, 4);
    assert_false(env_has(env, KUBE_NODE_CLAIM, "a"));
    env_free(env);
}

TEST(other_errors_of_the_cloud_are_tried_again) {
    TestEnv *env = claim_env_launched("");
    const char *history;

    env_break(env, INTENT_TERMINATE, 3, ERR_THROTTLED, "RequestLimitExceeded");
    env_delete(env, KUBE_NODE_CLAIM, "a");
    history = env_run(env, "5s");
    assert_int_equal(env_times(history, "log error Reconciler error error=RequestLimitExceeded"), 3);
    assert_string_equal(env_condition(env, KUBE_NODE_CLAIM, "a", "InstanceTerminating"), "");
    env_run(env, "1m");
    assert_false(env_has(env, KUBE_NODE_CLAIM, "a"));
    assert_int_equal(env_instances_alive(env), 0);
    env_free(env);
}

TEST(an_instance_that_is_gone_already) {
    TestEnv *env = claim_env_launched("");

    env_lose_instance(env, "kwok://a");
    env_delete(env, KUBE_NODE_CLAIM, "a");
    env_run(env, "0s");
    assert_false(env_has(env, KUBE_NODE_CLAIM, "a"));
    assert_int_equal(env_cloud(env)->terminations, 1);
    env_free(env);
}

TEST(a_claim_that_never_launched_goes_at_once) {
    TestEnv *env = claim_env();

    env_break(env, INTENT_LAUNCH, 100, ERR_IO, "no network");
    put_claim(env, "");
    env_run(env, "1s");
    env_delete(env, KUBE_NODE_CLAIM, "a");
    env_run(env, "0s");
    assert_false(env_has(env, KUBE_NODE_CLAIM, "a"));
    assert_int_equal(env_cloud(env)->terminations, 0);
    env_free(env);
}

// The claim is deleted during its launch: the launch completes for a claim that is being deleted.
TEST(a_claim_that_is_deleted_during_its_launch) {
    TestEnv *env = claim_env();

    put_claim(env, "");
    env_reconcile(env, "a"); // finalizer
    env_carry_out(env);
    assert_string_equal(env_reconcile(env, "a"), "launch a\n");
    env_hold(env);
    env_delete(env, KUBE_NODE_CLAIM, "a");
    env_let_go(env);
    assert_says(env_run(env, "0s"), "terminate kwok://a");
    env_run(env, "1m");
    assert_false(env_has(env, KUBE_NODE_CLAIM, "a"));
    assert_int_equal(env_instances_alive(env), 0);
    assert_int_equal(env_cloud(env)->launches, 1);
    env_free(env);
}

// The claim is deleted during its launch, before the instance is in its status.
TEST(a_launch_that_the_status_does_not_show_is_ended_too) {
    TestEnv *env = claim_env();

    put_claim(env, "");
    for (int i = 0; i < 2; i++) { // finalizer, launch
        env_reconcile(env, "a");
        env_carry_out(env);
    }
    env_delete(env, KUBE_NODE_CLAIM, "a");
    env_run(env, "1m");
    assert_false(env_has(env, KUBE_NODE_CLAIM, "a"));
    assert_int_equal(env_instances_alive(env), 0);
    env_free(env);
}

TEST(a_claim_without_finalizer_that_is_deleting_is_no_matter) {
    TestEnv *env = claim_env();

    env_put(env, "{kind: NodeClaim, metadata: {name: a, finalizers: [example.com/hold]}}");
    env_delete(env, KUBE_NODE_CLAIM, "a");
    assert_string_equal(env_run(env, "1h"), "");
    env_free(env);
}

// --- 4: the finalizer

TEST(only_the_own_finalizer_is_taken_off) {
    TestEnv *env = claim_env();

    env_put(env, "{kind: NodeClaim, metadata: {name: a, finalizers: [example.com/hold]}}");
    env_run(env, "1s");
    env_delete(env, KUBE_NODE_CLAIM, "a");
    env_run(env, "1m");
    assert_string_equal(env_part(env, KUBE_NODE_CLAIM, "a", "metadata.finalizers"), "[\"example.com/hold\"]");
    assert_string_equal(env_run(env, "1h"), "");
    env_free(env);
}

// Another finalizer is removed meanwhile: writing the list without lock would restore it.
TEST(the_finalizer_is_taken_off_with_a_lock) {
    TestEnv *env = claim_env();

    env_put(env, "{kind: NodeClaim, metadata: {name: a, finalizers: [example.com/hold]}}");
    env_run(env, "1s");
    env_lose_instance(env, "kwok://a");
    env_delete(env, KUBE_NODE_CLAIM, "a");
    env_reconcile(env, "a"); // terminate: not found
    env_carry_out(env);
    env_put_unseen(env, "{kind: NodeClaim, metadata: {name: a, finalizers: [karpenter.sh/termination]}}");
    assert_says(env_reconcile(env, "a"),
                "patch nodeclaim/a locked {\"metadata\":{\"finalizers\":[\"example.com/hold\"]}}");
    env_carry_out(env); // conflict
    assert_string_equal(env_part(env, KUBE_NODE_CLAIM, "a", "metadata.finalizers"), "[\"karpenter.sh/termination\"]");
    env_run(env, "1m");
    assert_false(env_has(env, KUBE_NODE_CLAIM, "a"));
    env_free(env);
}

// --- by hand, together with node.termination

static TestEnv *env_with_termination(void) {
    TestEnv *env = claim_env();

    env_add(env, &claim_hydration_controller); // the label that makes a Node tenon's
    env_add(env, &node_termination_controller);
    put_claim(env, "");
    env_run(env, "2s");
    put_joining_node(env, "");
    env_run(env, "1s");
    put_node_ready(env);
    env_run(env, "1s");
    assert_says(env_conditions(env, KUBE_NODE_CLAIM, "a"), "Initialized=True");
    return env;
}

TEST(a_node_deleted_by_hand_takes_claim_and_instance_along) {
    TestEnv *env = env_with_termination();

    env_delete(env, KUBE_NODE, "node-a");
    env_run(env, "2m");
    assert_false(env_has(env, KUBE_NODE, "node-a"));
    assert_false(env_has(env, KUBE_NODE_CLAIM, "a"));
    assert_int_equal(env_instances_alive(env), 0);
    env_free(env);
}

TEST(a_claim_deleted_by_hand_takes_node_and_instance_along) {
    TestEnv *env = env_with_termination();
    const char *history;

    env_delete(env, KUBE_NODE_CLAIM, "a");
    history = env_run(env, "2m");
    assert_false(env_has(env, KUBE_NODE, "node-a"));
    assert_false(env_has(env, KUBE_NODE_CLAIM, "a"));
    assert_int_equal(env_instances_alive(env), 0);
    assert_true(strstr(history, "delete node/node-a") < strstr(history, "terminate kwok://a"));
    env_free(env);
}

// The Node's finalizers were removed by hand, so its termination was skipped. The claim keeps its instance and
// terminates it when it is deleted itself.
TEST(a_node_that_was_torn_out_leaves_a_claim_that_can_end) {
    TestEnv *env = env_with_termination();

    env_remove(env, KUBE_NODE, "node-a");
    env_run(env, "1h");
    assert_true(env_has(env, KUBE_NODE_CLAIM, "a"));
    assert_int_equal(env_instances_alive(env), 1);
    env_delete(env, KUBE_NODE_CLAIM, "a");
    env_run(env, "1m");
    assert_false(env_has(env, KUBE_NODE_CLAIM, "a"));
    assert_int_equal(env_instances_alive(env), 0);
    env_free(env);
}

// --- law 5

// The whole life of a claim, with a process that dies after `intents` intents. Returns whether there were so many.
static bool live_and_die(uint32_t intents) {
    TestEnv *env = claim_env();
    bool died;

    env_die_after(env, intents);
    put_claim(env, "terminationGracePeriod: 1h, startupTaints: [{key: cilium, effect: NoExecute}]");
    env_run(env, "1s");
    put_joining_node(env, "");
    env_run(env, "2s");
    put_node_ready(env);
    env_put(env, "{kind: Node, metadata: {name: node-a}, spec: {taints: null}}");
    env_run(env, "2s");
    assert_string_equal(env_conditions(env, KUBE_NODE_CLAIM, "a"),
                        "Launched=True/Launched Registered=True/Registered Initialized=True/Initialized "
                        "ConsistentStateFound=True/ConsistentStateFound Ready=True/Ready");
    assert_int_equal(env_instances_alive(env), 1);
    env_delete(env, KUBE_NODE_CLAIM, "a");
    env_run(env, "2s");
    assert_says(env_part(env, KUBE_NODE_CLAIM, "a", "metadata.annotations"), "2026-01-05T01:00:05Z");
    assert_int_equal(env_instances_alive(env), 1);
    env_remove(env, KUBE_NODE, "node-a");
    env_run(env, "1m");
    assert_false(env_has(env, KUBE_NODE_CLAIM, "a"));
    assert_int_equal(env_instances_alive(env), 0);
    assert_int_equal(env_cloud(env)->instances.count, 1); // launched once
    died = !env_is_dying(env);
    env_free(env);
    return died;
}

TEST(killed_between_any_two_intents_it_finishes_the_work) {
    uint32_t intents = 0;

    while (live_and_die(intents))
        intents++;
    assert_true(intents > 10);
}
