// nodeclaim.consistency: reference lifecycle.md 2.11, condition ConsistentStateFound of 2.7.
#include "ctl/claim/consistency.h"
#include "ctl/support/stage.h"

#define INITIALIZED "Launched, Registered, Initialized"

// The claim "a" that promises 4 CPUs and 16 Gi, of which 2 CPUs were asked for, and its Node with that many.
static Stage *consistency_stage(const char *conditions, const char *node_cpu) {
    Stage *stage = stage_new(&claim_consistency_controller, NULL);

    stage_put(stage,
              "{kind: NodeClaim, metadata: {name: a}, spec: {resources: {requests: {cpu: 2, example.com/none: 0}}}, "
              "status: {providerID: 'kwok://a', capacity: {cpu: 4, memory: 16Gi, example.com/none: 9}, conditions: "
              "[%s]}}\n---\n"
              "{kind: Node, metadata: {name: node-a}, spec: {providerID: 'kwok://a'}, status: {capacity: {cpu: %s}}}",
              conditions, node_cpu);
    return stage;
}

static const char *found(Stage *stage) {
    return stage_condition(stage, KUBE_NODE_CLAIM, "a", "ConsistentStateFound");
}

TEST(consistent_state_found) {
    Stage *stage = consistency_stage(INITIALIZED, "4");

    assert_does_not_say(stage_run(stage, "1s"), "event");
    assert_string_equal(found(stage), "True/ConsistentStateFound");
    stage_free(stage);
}

TEST(consistency_check_failed) {
    Stage *stage = consistency_stage(INITIALIZED, "3");
    const char *history = stage_run(stage, "1s");

    assert_says(history, "event Warning nodeclaim/a FailedConsistencyCheck: expected 4 of resource cpu, but found 3 "
                         "(75.0% of expected)\n");
    assert_says(history, "log error failed consistency check NodeClaim=a error=expected 4 of resource cpu, but found 3 "
                         "(75.0% of expected)\n");
    assert_string_equal(found(stage), "False/ConsistencyCheckFailed: Consistency Check Failed");
    stage_free(stage);
}

TEST(ninety_percent_are_enough) {
    Stage *stage = consistency_stage(INITIALIZED, "3600m"), *less = consistency_stage(INITIALIZED, "3599m");

    stage_run(stage, "1s");
    stage_run(less, "1s");
    assert_string_equal(found(stage), "True/ConsistentStateFound");
    assert_says(found(less), "False/ConsistencyCheckFailed");
    stage_free(stage);
    stage_free(less);
}

// Memory is missing from the Node, but nobody asked for any.
TEST(only_what_was_requested_is_compared) {
    Stage *stage = consistency_stage(INITIALIZED, "4");

    stage_run(stage, "1s");
    assert_string_equal(found(stage), "True/ConsistentStateFound");
    stage_pass(stage, "10m");
    stage_put(stage, "{kind: NodeClaim, metadata: {name: b}, spec: {resources: {requests: {memory: 1Gi}}}, status: "
                     "{providerID: 'kwok://b', capacity: {memory: 16Gi}, conditions: [" INITIALIZED "]}}\n---\n"
                     "{kind: Node, metadata: {name: node-b}, spec: {providerID: 'kwok://b'}}");
    assert_says(stage_run(stage, "1s"), "expected 16Gi of resource memory, but found 0 (0.0% of expected)");
    stage_free(stage);
}

TEST(nothing_is_compared_before_the_initialization) {
    Stage *stage = consistency_stage("Launched, Registered", "1");

    assert_does_not_say(stage_run(stage, "1s"), "FailedConsistencyCheck");
    stage_put(stage, "{kind: NodeClaim, metadata: {name: a}, status: {conditions: [" INITIALIZED "]}}");
    assert_says(stage_run(stage, "1s"), "+0s event Warning nodeclaim/a FailedConsistencyCheck");
    stage_free(stage);
}

TEST(nothing_is_compared_of_a_claim_that_goes) {
    Stage *stage = consistency_stage(INITIALIZED, "1");

    stage_put(stage, "{kind: NodeClaim, metadata: {name: a, finalizers: [karpenter.sh/termination]}}");
    stage_delete(stage, KUBE_NODE_CLAIM, "a");
    assert_does_not_say(stage_run(stage, "1s"), "FailedConsistencyCheck");
    stage_free(stage);
}

TEST(at_most_every_10_minutes) {
    Stage *stage = consistency_stage(INITIALIZED, "3");
    const char *history;

    stage_run(stage, "1s");
    stage_put(stage, "{kind: Node, metadata: {name: node-a}, status: {capacity: {cpu: 4}}}");
    assert_string_equal(stage_run(stage, "9m58s"), "");
    assert_says(found(stage), "False");
    history = stage_run(stage, "1s");
    assert_says(history, "patch nodeclaim/a status locked");
    assert_string_equal(found(stage), "True/ConsistentStateFound");
    stage_free(stage);
}

TEST(nothing_is_written_when_nothing_changed) {
    Stage *stage = consistency_stage(INITIALIZED, "4");

    stage_run(stage, "1s");
    assert_string_equal(stage_run(stage, "1h"), "");
    stage_free(stage);
}

// It reports; nothing else hangs on it.
TEST(it_never_blocks_or_deletes) {
#define CONDITION(type)                                                                                                \
    "{type: " type ", status: 'True', reason: " type ", message: '', observedGeneration: 1, lastTransitionTime: "      \
    "'2026-01-05T00:00:00Z'}"
    Stage *stage = consistency_stage(
        CONDITION("Launched") ", " CONDITION("Registered") ", " CONDITION("Initialized") ", " CONDITION("Ready"), "1");

    assert_does_not_say(stage_run(stage, "24h"), "delete");
    assert_says(found(stage), "False/ConsistencyCheckFailed");
    assert_string_equal(stage_condition(stage, KUBE_NODE_CLAIM, "a", "Ready"), "True/Ready");
#undef CONDITION
    stage_free(stage);
}

TEST(a_claim_without_node_waits_for_it) {
    Stage *stage = stage_new(&claim_consistency_controller, NULL);

    stage_put(stage, "{kind: NodeClaim, metadata: {name: a}, status: {providerID: 'kwok://a', conditions: "
                     "[" INITIALIZED "]}}");
    assert_string_equal(stage_run(stage, "1h"), "");
    stage_put(stage, "{kind: Node, metadata: {name: node-a}, spec: {providerID: 'kwok://a'}}");
    stage_run(stage, "0s");
    assert_string_equal(found(stage), "True/ConsistentStateFound");
    stage_free(stage);
}

TEST(two_nodes_with_one_provider_id_are_not_compared) {
    Stage *stage = consistency_stage(INITIALIZED, "1");

    stage_put(stage, "{kind: Node, metadata: {name: twin}, spec: {providerID: 'kwok://a'}}");
    assert_string_equal(stage_run(stage, "1h"), "");
    stage_free(stage);
}

TEST(a_conflict_is_tried_again) {
    Stage *stage = consistency_stage(INITIALIZED, "4");

    stage_put_unseen(stage, "{kind: NodeClaim, metadata: {name: a, labels: {late: 'yes'}}}");
    stage_reconcile(stage, "a");
    stage_carry_out(stage);
    assert_string_equal(found(stage), "");
    stage_run(stage, "1s");
    assert_string_equal(found(stage), "True/ConsistentStateFound");
    stage_free(stage);
}

TEST(a_restart_scans_anew) {
    Stage *stage = consistency_stage(INITIALIZED, "4");

    stage_die_after(stage, 0);
    stage_run(stage, "1s");
    assert_string_equal(found(stage), "True/ConsistentStateFound");
    stage_free(stage);
}
