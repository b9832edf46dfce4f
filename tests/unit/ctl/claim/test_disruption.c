// nodeclaim.disruption: reference lifecycle.md 2.7, 4.8.
#include "ctl/claim/disruption.h"
#include "ctl/support/stage.h"

#define INITIALIZED "Launched, Registered, Initialized"

// A pool "p" with these members of its spec, beside its template.
static void put_pool(Stage *stage, const char *spec) {
    stage_put(stage, "{kind: NodePool, metadata: {name: p}, spec: {%s}}", spec);
}

// The claim "a" of the pool, with these conditions.
static void put_claim(Stage *stage, const char *conditions) {
    stage_put(
        stage,
        "{kind: NodeClaim, metadata: {name: a, labels: {karpenter.sh/nodepool: p, "
        "node.kubernetes.io/instance-type: t1, topology.kubernetes.io/zone: z1, karpenter.sh/capacity-type: spot}}, "
        "status: {providerID: 'kwok://a', conditions: [%s]}}",
        conditions);
}

static Stage *stage_with(const char *pool_spec, const char *conditions) {
    Stage *stage = stage_new(&claim_disruption_controller, NULL);

    put_pool(stage, pool_spec);
    put_claim(stage, conditions);
    return stage;
}

static const char *consolidatable(Stage *stage) {
    return stage_condition(stage, KUBE_NODE_CLAIM, "a", "Consolidatable");
}

static const char *drifted(Stage *stage) {
    return stage_condition(stage, KUBE_NODE_CLAIM, "a", "Drifted");
}

// --- Consolidatable

TEST(an_initialized_claim_is_consolidatable_when_consolidate_after_has_passed) {
    Stage *stage = stage_with("disruption: {consolidateAfter: 30s}", INITIALIZED);

    stage_run(stage, "29s");
    assert_string_equal(consolidatable(stage), "");
    assert_says(stage_run(stage, "1s"), "+1s log debug marking consolidatable NodeClaim=a");
    assert_string_equal(consolidatable(stage), "True/Consolidatable");
    stage_free(stage);
}

TEST(zero_seconds_are_over_at_once) {
    Stage *stage = stage_with("disruption: {consolidateAfter: 0s}", INITIALIZED);

    stage_run(stage, "0s");
    assert_string_equal(consolidatable(stage), "True/Consolidatable");
    stage_free(stage);
}

TEST(a_claim_that_is_not_initialized_is_not_consolidatable) {
    Stage *stage = stage_with("disruption: {consolidateAfter: 0s}", "Launched, Registered");

    stage_run(stage, "1h");
    assert_string_equal(consolidatable(stage), "");
    put_claim(stage, INITIALIZED);
    stage_run(stage, "0s");
    assert_string_equal(consolidatable(stage), "True/Consolidatable");
    stage_free(stage);
}

TEST(a_pod_that_comes_or_goes_begins_the_time_anew) {
    Stage *stage = stage_with("disruption: {consolidateAfter: 30s}", INITIALIZED);
    const char *history;

    stage_run(stage, "1m");
    stage_put(stage, "{kind: NodeClaim, metadata: {name: a}, status: {lastPodEventTime: '2026-01-05T00:01:00Z'}}");
    history = stage_run(stage, "29s");
    assert_says(history, "removing consolidatable status condition NodeClaim=a reason=consolidateAfter window not yet "
                         "elapsed");
    assert_string_equal(consolidatable(stage), "");
    stage_run(stage, "1s");
    assert_string_equal(consolidatable(stage), "True/Consolidatable");
    stage_free(stage);
}

TEST(never_takes_the_condition_away) {
    Stage *stage = stage_with("disruption: {consolidateAfter: 0s}", INITIALIZED);

    stage_run(stage, "1s");
    put_pool(stage, "disruption: {consolidateAfter: Never}");
    assert_says(stage_run(stage, "0s"), "reason=consolidation is disabled");
    assert_string_equal(consolidatable(stage), "");
    put_pool(stage, "disruption: {consolidateAfter: 10s}");
    stage_run(stage, "9s");
    assert_string_equal(consolidatable(stage), "True/Consolidatable");
    stage_free(stage);
}

TEST(claims_of_static_pools_are_never_consolidatable) {
    Stage *stage = stage_with("replicas: 1, disruption: {consolidateAfter: 0s}", INITIALIZED);

    stage_run(stage, "1h");
    assert_string_equal(consolidatable(stage), "");
    stage_free(stage);
}

TEST(nothing_is_written_when_nothing_changed) {
    Stage *stage = stage_with("disruption: {consolidateAfter: 30s}", INITIALIZED);

    stage_run(stage, "31s");
    assert_does_not_say(stage_run(stage, "1h"), "patch");
    stage_free(stage);
}

TEST(claims_without_a_pool_and_those_that_go_are_left_alone) {
    Stage *stage = stage_new(&claim_disruption_controller, NULL);

    put_claim(stage, INITIALIZED);
    assert_string_equal(stage_run(stage, "1h"), "");
    put_pool(stage, "disruption: {consolidateAfter: 0s}");
    stage_put(stage, "{kind: NodeClaim, metadata: {name: a, finalizers: [karpenter.sh/termination]}}");
    stage_delete(stage, KUBE_NODE_CLAIM, "a");
    assert_string_equal(stage_run(stage, "1h"), "");
    stage_free(stage);
}

// --- Drifted

static void annotate(Stage *stage, const char *kind, const char *name, const char *hash) {
    stage_put(stage,
              "{kind: %s, metadata: {name: %s, annotations: {karpenter.sh/nodepool-hash: '%s', "
              "karpenter.sh/nodepool-hash-version: v3}}}",
              kind, name, hash);
}

TEST(another_template_is_drift_and_can_be_taken_back) {
    Stage *stage = stage_with("", INITIALIZED);

    annotate(stage, "NodeClaim", "a", "1");
    annotate(stage, "NodePool", "p", "1");
    stage_run(stage, "1s");
    assert_string_equal(drifted(stage), "");
    annotate(stage, "NodePool", "p", "2");
    assert_says(stage_run(stage, "0s"), "log debug marking drifted NodeClaim=a reason=NodePoolDrifted");
    assert_string_equal(drifted(stage), "True/NodePoolDrifted: NodePoolDrifted");
    annotate(stage, "NodePool", "p", "1");
    assert_says(stage_run(stage, "0s"), "removing drifted status condition, not drifted");
    assert_string_equal(drifted(stage), "");
    stage_free(stage);
}

TEST(requirements_that_the_labels_do_not_meet_are_drift) {
    Stage *stage = stage_with("", INITIALIZED);

    stage_run(stage, "1s");
    stage_put(stage, "{kind: NodePool, metadata: {name: p}, spec: {template: {spec: {requirements: "
                     "[{key: topology.kubernetes.io/zone, operator: In, values: [z2]}]}}}}");
    stage_run(stage, "0s");
    assert_string_equal(drifted(stage), "True/RequirementsDrifted: RequirementsDrifted");
    stage_free(stage);
}

TEST(a_claim_that_is_not_launched_does_not_drift) {
    Stage *stage = stage_with("", INITIALIZED);

    annotate(stage, "NodeClaim", "a", "1");
    annotate(stage, "NodePool", "p", "2");
    stage_run(stage, "1s");
    assert_says(drifted(stage), "NodePoolDrifted");
    put_claim(stage, "Launched=False/LaunchFailed, Drifted=True/NodePoolDrifted");
    assert_says(stage_run(stage, "0s"), "removing drift status condition, isn't launched");
    assert_string_equal(drifted(stage), "");
    stage_free(stage);
}

// The provider's types: "t1", with one offering of that zone and capacity type.
static void offer(Stage *stage, const char *zone) {
    static Offering offering;
    static InstanceType type;
    static InstanceTypeVec types;

    offering = (Offering){.zone = stage_symbol(stage, zone), .capacity_type = NAME_SPOT};
    type = (InstanceType){.name = stage_symbol(stage, "t1"), .offerings = {&offering, 1, 1}};
    types = (InstanceTypeVec){&type, 1, 1};
    stage_cloud(stage)->types = &types;
}

TEST(a_type_that_is_gone_is_drift_after_an_hour) {
    Stage *stage = stage_with("", INITIALIZED);

    offer(stage, "z2");
    stage_run(stage, "1h");
    assert_string_equal(drifted(stage), "");
    stage_run(stage, "5m1s");
    assert_string_equal(drifted(stage), "True/InstanceTypeNotFound: InstanceTypeNotFound");
    offer(stage, "z1");
    stage_run(stage, "5m");
    assert_string_equal(drifted(stage), "");
    stage_free(stage);
}

TEST(a_type_that_was_found_is_asked_for_again_after_half_an_hour) {
    Stage *stage = stage_with("", INITIALIZED);

    offer(stage, "z1");
    stage_run(stage, "1h5m");
    offer(stage, "z2");
    stage_run(stage, "24m");
    assert_string_equal(drifted(stage), "");
    stage_run(stage, "11m");
    assert_string_equal(drifted(stage), "True/InstanceTypeNotFound: InstanceTypeNotFound");
    stage_free(stage);
}

TEST(types_that_cannot_be_asked_for_are_no_drift) {
    Stage *stage = stage_with("", INITIALIZED);

    stage_run(stage, "2h");
    assert_string_equal(drifted(stage), "");
    stage_free(stage);
}

TEST(the_provider_is_asked_every_five_minutes) {
    Stage *stage = stage_with("", INITIALIZED);

    stage_run(stage, "4m59s");
    assert_int_equal(stage_cloud(stage)->drift_checks, 1);
    stage_cloud(stage)->drift = "AMIDrift";
    stage_run(stage, "2s");
    assert_int_equal(stage_cloud(stage)->drift_checks, 2);
    assert_string_equal(drifted(stage), "True/AMIDrift: AMIDrift");
    stage_cloud(stage)->drift = NULL;
    stage_run(stage, "5m");
    assert_string_equal(drifted(stage), "");
    stage_free(stage);
}

TEST(a_changed_node_class_is_asked_about_at_once) {
    Stage *stage = stage_new(&claim_disruption_controller, NULL);

    stage_put(stage, "{kind: KWOKNodeClass, metadata: {name: default}}");
    put_pool(stage, "");
    put_claim(stage, INITIALIZED);
    stage_run(stage, "1s");
    stage_cloud(stage)->drift = "NodeClassDrift";
    stage_put(stage, "{kind: KWOKNodeClass, metadata: {name: default}, spec: {nodeRegistrationDelay: 7s}}");
    stage_run(stage, "0s");
    assert_string_equal(drifted(stage), "True/NodeClassDrift: NodeClassDrift");
    stage_free(stage);
}

TEST(a_drift_from_before_a_restart_stays_until_the_provider_has_answered) {
    Stage *stage = stage_with("", INITIALIZED);

    stage_cloud(stage)->drift = "AMIDrift";
    stage_run(stage, "1s");
    stage_restart(stage);
    stage_break(stage, INTENT_CHECK_DRIFT, 1, ERR_THROTTLED, "slow down");
    stage_run(stage, "0s");
    assert_string_equal(drifted(stage), "True/AMIDrift: AMIDrift");
    stage_cloud(stage)->drift = NULL;
    stage_run(stage, "1m");
    assert_string_equal(drifted(stage), "");
    stage_free(stage);
}

TEST(a_conflict_is_tried_again) {
    Stage *stage = stage_with("disruption: {consolidateAfter: 0s}", INITIALIZED);

    stage_break(stage, INTENT_PATCH, 2, ERR_CONFLICT, "somebody was quicker");
    stage_run(stage, "10s");
    assert_string_equal(consolidatable(stage), "True/Consolidatable");
    stage_free(stage);
}
