// nodeclaim.consistency: reference lifecycle.md 2.11, condition ConsistentStateFound of 2.7.
#include "ctl/claim/consistency.h"
#include "ctl/support/env.h"

#define INITIALIZED "Launched, Registered, Initialized"

// The claim "a" with a capacity of 4 CPUs and 16 Gi and requests of 2 CPUs, and its Node with `node_cpu`.
static TestEnv *consistency_env(const char *conditions, const char *node_cpu) {
    TestEnv *env = env_new(&claim_consistency_controller, NULL);

    env_put(env,
            "{kind: NodeClaim, metadata: {name: a}, spec: {resources: {requests: {cpu: 2, example.com/none: 0}}}, "
            "status: {providerID: 'kwok://a', capacity: {cpu: 4, memory: 16Gi, example.com/none: 9}, conditions: "
            "[%s]}}\n---\n"
            "{kind: Node, metadata: {name: node-a}, spec: {providerID: 'kwok://a'}, status: {capacity: {cpu: %s}}}",
            conditions, node_cpu);
    return env;
}

static const char *found(TestEnv *env) {
    return env_condition(env, KUBE_NODE_CLAIM, "a", "ConsistentStateFound");
}

TEST(consistent_state_found) {
    TestEnv *env = consistency_env(INITIALIZED, "4");

    assert_does_not_say(env_run(env, "1s"), "event");
    assert_string_equal(found(env), "True/ConsistentStateFound");
    env_free(env);
}

TEST(consistency_check_failed) {
    TestEnv *env = consistency_env(INITIALIZED, "3");
    const char *history = env_run(env, "1s");

    assert_says(history, "event Warning nodeclaim/a FailedConsistencyCheck: expected 4 of resource cpu, but found 3 "
                         "(75.0% of expected)\n");
    assert_says(history, "log error failed consistency check NodeClaim=a error=expected 4 of resource cpu, but found 3 "
                         "(75.0% of expected)\n");
    assert_string_equal(found(env), "False/ConsistencyCheckFailed: Consistency Check Failed");
    env_free(env);
}

TEST(ninety_percent_are_enough) {
    TestEnv *env = consistency_env(INITIALIZED, "3600m"), *less = consistency_env(INITIALIZED, "3599m");

    env_run(env, "1s");
    env_run(less, "1s");
    assert_string_equal(found(env), "True/ConsistentStateFound");
    assert_says(found(less), "False/ConsistencyCheckFailed");
    env_free(env);
    env_free(less);
}

// The Node has no memory, but none was requested.
TEST(only_what_was_requested_is_compared) {
    TestEnv *env = consistency_env(INITIALIZED, "4");

    env_run(env, "1s");
    assert_string_equal(found(env), "True/ConsistentStateFound");
    env_pass(env, "10m");
    env_put(env, "{kind: NodeClaim, metadata: {name: b}, spec: {resources: {requests: {memory: 1Gi}}}, status: "
                 "{providerID: 'kwok://b', capacity: {memory: 16Gi}, conditions: [" INITIALIZED "]}}\n---\n"
                 "{kind: Node, metadata: {name: node-b}, spec: {providerID: 'kwok://b'}}");
    assert_says(env_run(env, "1s"), "expected 16Gi of resource memory, but found 0 (0.0% of expected)");
    env_free(env);
}

TEST(nothing_is_compared_before_the_initialization) {
    TestEnv *env = consistency_env("Launched, Registered", "1");

    assert_does_not_say(env_run(env, "1s"), "FailedConsistencyCheck");
    env_put(env, "{kind: NodeClaim, metadata: {name: a}, status: {conditions: [" INITIALIZED "]}}");
    assert_says(env_run(env, "1s"), "+0s event Warning nodeclaim/a FailedConsistencyCheck");
    env_free(env);
}

TEST(nothing_is_compared_of_a_claim_that_goes) {
    TestEnv *env = consistency_env(INITIALIZED, "1");

    env_put(env, "{kind: NodeClaim, metadata: {name: a, finalizers: [karpenter.sh/termination]}}");
    env_delete(env, KUBE_NODE_CLAIM, "a");
    assert_does_not_say(env_run(env, "1s"), "FailedConsistencyCheck");
    env_free(env);
}

TEST(at_most_every_10_minutes) {
    TestEnv *env = consistency_env(INITIALIZED, "3");
    const char *history;

    env_run(env, "1s");
    env_put(env, "{kind: Node, metadata: {name: node-a}, status: {capacity: {cpu: 4}}}");
    assert_string_equal(env_run(env, "9m58s"), "");
    assert_says(found(env), "False");
    history = env_run(env, "1s");
    assert_says(history, "patch nodeclaim/a status locked");
    assert_string_equal(found(env), "True/ConsistentStateFound");
    env_free(env);
}

TEST(nothing_is_written_when_nothing_changed) {
    TestEnv *env = consistency_env(INITIALIZED, "4");

    env_run(env, "1s");
    assert_string_equal(env_run(env, "1h"), "");
    env_free(env);
}

// It only reports.
TEST(it_never_blocks_or_deletes) {
#define CONDITION(type)                                                                                                \
    "{type: " type ", status: 'True', reason: " type ", message: '', observedGeneration: 1, lastTransitionTime: "      \
    "'2026-01-05T00:00:00Z'}"
    TestEnv *env = consistency_env(
        CONDITION("Launched") ", " CONDITION("Registered") ", " CONDITION("Initialized") ", " CONDITION("Ready"), "1");

    assert_does_not_say(env_run(env, "24h"), "delete");
    assert_says(found(env), "False/ConsistencyCheckFailed");
    assert_string_equal(env_condition(env, KUBE_NODE_CLAIM, "a", "Ready"), "True/Ready");
#undef CONDITION
    env_free(env);
}

TEST(a_claim_without_node_waits_for_it) {
    TestEnv *env = env_new(&claim_consistency_controller, NULL);

    env_put(env, "{kind: NodeClaim, metadata: {name: a}, status: {providerID: 'kwok://a', conditions: "
                 "[" INITIALIZED "]}}");
    assert_string_equal(env_run(env, "1h"), "");
    env_put(env, "{kind: Node, metadata: {name: node-a}, spec: {providerID: 'kwok://a'}}");
    env_run(env, "0s");
    assert_string_equal(found(env), "True/ConsistentStateFound");
    env_free(env);
}

TEST(two_nodes_with_one_provider_id_are_not_compared) {
    TestEnv *env = consistency_env(INITIALIZED, "1");

    env_put(env, "{kind: Node, metadata: {name: twin}, spec: {providerID: 'kwok://a'}}");
    assert_string_equal(env_run(env, "1h"), "");
    env_free(env);
}

TEST(a_conflict_is_tried_again) {
    TestEnv *env = consistency_env(INITIALIZED, "4");

    env_put_unseen(env, "{kind: NodeClaim, metadata: {name: a, labels: {late: 'yes'}}}");
    env_reconcile(env, "a");
    env_carry_out(env);
    assert_string_equal(found(env), "");
    env_run(env, "1s");
    assert_string_equal(found(env), "True/ConsistentStateFound");
    env_free(env);
}

TEST(a_restart_scans_anew) {
    TestEnv *env = consistency_env(INITIALIZED, "4");

    env_die_after(env, 0);
    env_run(env, "1s");
    assert_string_equal(found(env), "True/ConsistentStateFound");
    env_free(env);
}
