// nodeclaim.disruption: reference lifecycle.md 2.7, 4.8.
#include "ctl/claim/disruption.h"
#include "ctl/support/env.h"

#define INITIALIZED "Launched, Registered, Initialized"

// A pool "p" with these members of its spec, beside its template.
static void put_pool(TestEnv *env, const char *spec) {
    env_put(env, "{kind: NodePool, metadata: {name: p}, spec: {%s}}", spec);
}

// The claim "a" of the pool, with these conditions.
static void put_claim(TestEnv *env, const char *conditions) {
    env_put(
        env,
        "{kind: NodeClaim, metadata: {name: a, labels: {karpenter.sh/nodepool: p, "
        "node.kubernetes.io/instance-type: t1, topology.kubernetes.io/zone: z1, karpenter.sh/capacity-type: spot}}, "
        "status: {providerID: 'kwok://a', conditions: [%s]}}",
        conditions);
}

static TestEnv *env_with(const char *pool_spec, const char *conditions) {
    TestEnv *env = env_new(&claim_disruption_controller, NULL);

    put_pool(env, pool_spec);
    put_claim(env, conditions);
    return env;
}

static const char *consolidatable(TestEnv *env) {
    return env_condition(env, KUBE_NODE_CLAIM, "a", "Consolidatable");
}

static const char *drifted(TestEnv *env) {
    return env_condition(env, KUBE_NODE_CLAIM, "a", "Drifted");
}

// --- Consolidatable

TEST(an_initialized_claim_is_consolidatable_when_consolidate_after_has_passed) {
    TestEnv *env = env_with("disruption: {consolidateAfter: 30s}", INITIALIZED);

    env_run(env, "29s");
    assert_string_equal(consolidatable(env), "");
    assert_says(env_run(env, "1s"), "+1s log debug marking consolidatable NodeClaim=a");
    assert_string_equal(consolidatable(env), "True/Consolidatable");
    env_free(env);
}

TEST(zero_seconds_are_over_at_once) {
    TestEnv *env = env_with("disruption: {consolidateAfter: 0s}", INITIALIZED);

    env_run(env, "0s");
    assert_string_equal(consolidatable(env), "True/Consolidatable");
    env_free(env);
}

TEST(a_claim_that_is_not_initialized_is_not_consolidatable) {
    TestEnv *env = env_with("disruption: {consolidateAfter: 0s}", "Launched, Registered");

    env_run(env, "1h");
    assert_string_equal(consolidatable(env), "");
    put_claim(env, INITIALIZED);
    env_run(env, "0s");
    assert_string_equal(consolidatable(env), "True/Consolidatable");
    env_free(env);
}

TEST(a_pod_that_comes_or_goes_begins_the_time_anew) {
    TestEnv *env = env_with("disruption: {consolidateAfter: 30s}", INITIALIZED);
    const char *history;

    env_run(env, "1m");
    env_put(env, "{kind: NodeClaim, metadata: {name: a}, status: {lastPodEventTime: '2026-01-05T00:01:00Z'}}");
    history = env_run(env, "29s");
    assert_says(history, "removing consolidatable status condition NodeClaim=a reason=consolidateAfter window not yet "
                         "elapsed");
    assert_string_equal(consolidatable(env), "");
    env_run(env, "1s");
    assert_string_equal(consolidatable(env), "True/Consolidatable");
    env_free(env);
}

TEST(never_takes_the_condition_away) {
    TestEnv *env = env_with("disruption: {consolidateAfter: 0s}", INITIALIZED);

    env_run(env, "1s");
    put_pool(env, "disruption: {consolidateAfter: Never}");
    assert_says(env_run(env, "0s"), "reason=consolidation is disabled");
    assert_string_equal(consolidatable(env), "");
    put_pool(env, "disruption: {consolidateAfter: 10s}");
    env_run(env, "9s");
    assert_string_equal(consolidatable(env), "True/Consolidatable");
    env_free(env);
}

TEST(claims_of_static_pools_are_never_consolidatable) {
    TestEnv *env = env_with("replicas: 1, disruption: {consolidateAfter: 0s}", INITIALIZED);

    env_run(env, "1h");
    assert_string_equal(consolidatable(env), "");
    env_free(env);
}

TEST(nothing_is_written_when_nothing_changed) {
    TestEnv *env = env_with("disruption: {consolidateAfter: 30s}", INITIALIZED);

    env_run(env, "31s");
    assert_does_not_say(env_run(env, "1h"), "patch");
    env_free(env);
}

TEST(claims_without_a_pool_and_those_that_go_are_left_alone) {
    TestEnv *env = env_new(&claim_disruption_controller, NULL);

    put_claim(env, INITIALIZED);
    assert_string_equal(env_run(env, "1h"), "");
    put_pool(env, "disruption: {consolidateAfter: 0s}");
    env_put(env, "{kind: NodeClaim, metadata: {name: a, finalizers: [karpenter.sh/termination]}}");
    env_delete(env, KUBE_NODE_CLAIM, "a");
    assert_string_equal(env_run(env, "1h"), "");
    env_free(env);
}

// --- Drifted

static void annotate(TestEnv *env, const char *kind, const char *name, const char *hash) {
    env_put(env,
            "{kind: %s, metadata: {name: %s, annotations: {karpenter.sh/nodepool-hash: '%s', "
            "karpenter.sh/nodepool-hash-version: v3}}}",
            kind, name, hash);
}

TEST(another_template_is_drift_and_can_be_taken_back) {
    TestEnv *env = env_with("", INITIALIZED);

    annotate(env, "NodeClaim", "a", "1");
    annotate(env, "NodePool", "p", "1");
    env_run(env, "1s");
    assert_string_equal(drifted(env), "");
    annotate(env, "NodePool", "p", "2");
    assert_says(env_run(env, "0s"), "log debug marking drifted NodeClaim=a reason=NodePoolDrifted");
    assert_string_equal(drifted(env), "True/NodePoolDrifted: NodePoolDrifted");
    annotate(env, "NodePool", "p", "1");
    assert_says(env_run(env, "0s"), "removing drifted status condition, not drifted");
    assert_string_equal(drifted(env), "");
    env_free(env);
}

TEST(requirements_that_the_labels_do_not_meet_are_drift) {
    TestEnv *env = env_with("", INITIALIZED);

    env_run(env, "1s");
    env_put(env, "{kind: NodePool, metadata: {name: p}, spec: {template: {spec: {requirements: "
                 "[{key: topology.kubernetes.io/zone, operator: In, values: [z2]}]}}}}");
    env_run(env, "0s");
    assert_string_equal(drifted(env), "True/RequirementsDrifted: RequirementsDrifted");
    env_free(env);
}

TEST(a_claim_that_is_not_launched_does_not_drift) {
    TestEnv *env = env_with("", INITIALIZED);

    annotate(env, "NodeClaim", "a", "1");
    annotate(env, "NodePool", "p", "2");
    env_run(env, "1s");
    assert_says(drifted(env), "NodePoolDrifted");
    put_claim(env, "Launched=False/LaunchFailed, Drifted=True/NodePoolDrifted");
    assert_says(env_run(env, "0s"), "removing drift status condition, isn't launched");
    assert_string_equal(drifted(env), "");
    env_free(env);
}

// The provider's types: "t1", with one offering of that zone and capacity type.
static void offer(TestEnv *env, const char *zone) {
    static Offering offering;
    static InstanceType type;
    static InstanceTypeVec types;

    offering = (Offering){.zone = env_symbol(env, zone), .capacity_type = NAME_SPOT};
    type = (InstanceType){.name = env_symbol(env, "t1"), .offerings = {&offering, 1, 1}};
    types = (InstanceTypeVec){&type, 1, 1};
    env_cloud(env)->types = &types;
}

TEST(a_type_that_is_gone_is_drift_after_an_hour) {
    TestEnv *env = env_with("", INITIALIZED);

    offer(env, "z2");
    env_run(env, "1h");
    assert_string_equal(drifted(env), "");
    env_run(env, "5m1s");
    assert_string_equal(drifted(env), "True/InstanceTypeNotFound: InstanceTypeNotFound");
    offer(env, "z1");
    env_run(env, "5m");
    assert_string_equal(drifted(env), "");
    env_free(env);
}

TEST(a_type_that_was_found_is_asked_for_again_after_half_an_hour) {
    TestEnv *env = env_with("", INITIALIZED);

    offer(env, "z1");
    env_run(env, "1h5m");
    offer(env, "z2");
    env_run(env, "24m");
    assert_string_equal(drifted(env), "");
    env_run(env, "11m");
    assert_string_equal(drifted(env), "True/InstanceTypeNotFound: InstanceTypeNotFound");
    env_free(env);
}

TEST(types_that_cannot_be_asked_for_are_no_drift) {
    TestEnv *env = env_with("", INITIALIZED);

    env_run(env, "2h");
    assert_string_equal(drifted(env), "");
    env_free(env);
}

TEST(the_provider_is_asked_every_five_minutes) {
    TestEnv *env = env_with("", INITIALIZED);

    env_run(env, "4m59s");
    assert_int_equal(env_cloud(env)->drift_checks, 1);
    env_cloud(env)->drift = "AMIDrift";
    env_run(env, "2s");
    assert_int_equal(env_cloud(env)->drift_checks, 2);
    assert_string_equal(drifted(env), "True/AMIDrift: AMIDrift");
    env_cloud(env)->drift = NULL;
    env_run(env, "5m");
    assert_string_equal(drifted(env), "");
    env_free(env);
}

TEST(a_changed_node_class_is_asked_about_at_once) {
    TestEnv *env = env_new(&claim_disruption_controller, NULL);

    env_put(env, "{kind: KWOKNodeClass, metadata: {name: default}}");
    put_pool(env, "");
    put_claim(env, INITIALIZED);
    env_run(env, "1s");
    env_cloud(env)->drift = "NodeClassDrift";
    env_put(env, "{kind: KWOKNodeClass, metadata: {name: default}, spec: {nodeRegistrationDelay: 7s}}");
    env_run(env, "0s");
    assert_string_equal(drifted(env), "True/NodeClassDrift: NodeClassDrift");
    env_free(env);
}

TEST(a_drift_from_before_a_restart_stays_until_the_provider_has_answered) {
    TestEnv *env = env_with("", INITIALIZED);

    env_cloud(env)->drift = "AMIDrift";
    env_run(env, "1s");
    env_restart(env);
    env_break(env, INTENT_CHECK_DRIFT, 1, ERR_THROTTLED, "slow down");
    env_run(env, "0s");
    assert_string_equal(drifted(env), "True/AMIDrift: AMIDrift");
    env_cloud(env)->drift = NULL;
    env_run(env, "1m");
    assert_string_equal(drifted(env), "");
    env_free(env);
}

TEST(a_class_that_is_not_known_yet_is_no_error_and_is_asked_about_again) {
    TestEnv *env = env_with("", INITIALIZED);

    env_cloud(env)->drift = "AMIDrift";
    env_cloud(env)->class_not_ready = true;
    env_break(env, INTENT_CHECK_DRIFT, 3, ERR_IO, "it is not known yet");
    assert_does_not_say(env_run(env, "10s"), "log error");
    assert_string_equal(drifted(env), "True/AMIDrift: AMIDrift");
    env_free(env);
}

TEST(a_conflict_is_tried_again) {
    TestEnv *env = env_with("disruption: {consolidateAfter: 0s}", INITIALIZED);

    env_break(env, INTENT_PATCH, 2, ERR_CONFLICT, "somebody was quicker");
    env_run(env, "10s");
    assert_string_equal(consolidatable(env), "True/Consolidatable");
    env_free(env);
}
