// nodepool.validation: reference lifecycle.md 5.5, scheduling.md 1.2. Pools that the API server refuses (schema, CEL)
// are tested in model/decode/test_nodepool.c.
#include "ctl/support/env.h"

#include "ctl/pool/controllers.h"

// The condition of a pool with that spec.template, and the server's own.
static const char *validated(TestEnv *env, const char *template) {
    env_put(env, "{kind: NodePool, metadata: {name: default}, spec: {template: {%s}}}", template);
    env_run(env, "1s");
    return env_condition(env, KUBE_NODE_POOL, "default", "ValidationSucceeded");
}

// Asserts that the complaint begins with that text.
static void assert_complaint(const char *template, const char *complaint) {
    TestEnv *env = env_new(&pool_validation_controller, NULL);
    char expected[512];

    snprintf(expected, sizeof expected, "False/NodePoolValidationFailed: %s", complaint);
    assert_int_equal(strncmp(validated(env, template), expected, strlen(expected)), 0);
    assert_says(env_condition(env, KUBE_NODE_POOL, "default", "Ready"), "False/UnhealthyDependents: ");
    assert_says(env_condition(env, KUBE_NODE_POOL, "default", "Ready"), "ValidationSucceeded=False");
    env_free(env);
}

TEST(a_good_pool_passes) {
    TestEnv *env = env_new(&pool_validation_controller, NULL);

    assert_string_equal(validated(env, "metadata: {labels: {team: a}}, spec: {taints: [{key: gpu, effect: NoSchedule}],"
                                       " requirements: [{key: karpenter.sh/capacity-type, operator: In,"
                                       " values: [spot, on-demand]}]}"),
                        "True/ValidationSucceeded");
    assert_string_equal(env_run(env, "1h"), "");
    env_free(env);
}

TEST(labels_of_a_providers_domain_are_restricted) {
    assert_complaint("metadata: {labels: {karpenter.k8s.aws/mine: a}}",
                     "invalid key name \"karpenter.k8s.aws/mine\" in labels, using label karpenter.k8s.aws/mine is not "
                     "allowed as it might interfere with the internal provisioning logic; specify a well known label: "
                     "[karpenter.k8s.aws/");
}

TEST(a_requirement_of_a_restricted_domain_is_refused) {
    assert_complaint("spec: {requirements: [{key: karpenter.k8s.aws/mine, operator: Exists}]}",
                     "using label karpenter.k8s.aws/mine is not allowed as it might interfere with the internal "
                     "provisioning logic; specify a well known label: [karpenter.k8s.aws/");
}

TEST(a_taint_may_stand_once_in_both_lists) {
    assert_complaint("spec: {taints: [{key: gpu, value: a, effect: NoSchedule}], startupTaints: [{key: gpu, value: b, "
                     "effect: NoSchedule}]}",
                     "duplicate taint Key/Effect pair gpu=NoSchedule");
}

TEST(a_value_must_be_a_label_value) {
    assert_complaint("spec: {requirements: [{key: team, operator: In, values: ['not a value']}]}",
                     "invalid value not a value for key team, ");
}

TEST(a_capacity_type_must_be_known) {
    assert_complaint("spec: {requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [cheap]}]}",
                     "no valid values found in karpenter.sh/capacity-type In [cheap], expected one of: [on-demand "
                     "reserved spot]");
}

TEST(one_known_capacity_type_is_enough) {
    TestEnv *env = env_new(&pool_validation_controller, NULL);

    assert_string_equal(validated(env, "spec: {requirements: [{key: karpenter.sh/capacity-type, operator: In, values: "
                                       "[cheap, spot]}]}"),
                        "True/ValidationSucceeded");
    env_free(env);
}

TEST(as_many_known_capacity_types_as_min_values) {
    assert_complaint(
        "spec: {requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [cheap, spot], "
        "minValues: 2}]}",
        "not enough valid values found in karpenter.sh/capacity-type In [cheap spot] minValues 2, expected at least 2");
}

TEST(all_that_is_wrong_is_said) {
    assert_complaint("spec: {taints: [{key: gpu, effect: NoSchedule}, {key: gpu, effect: NoSchedule}], requirements: "
                     "[{key: karpenter.sh/capacity-type, operator: In, values: [cheap]}]}",
                     "duplicate taint Key/Effect pair gpu=NoSchedule; no valid values found in "
                     "karpenter.sh/capacity-type In [cheap], expected one of: [on-demand reserved spot]");
}

TEST(a_pool_that_is_mended_passes) {
    TestEnv *env = env_new(&pool_validation_controller, NULL);

    validated(env, "spec: {requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [cheap]}]}");
    assert_string_equal(
        validated(env, "spec: {requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [spot]}]}"),
        "True/ValidationSucceeded");
    env_free(env);
}

TEST(a_pool_of_another_provider_is_left_alone) {
    TestEnv *env = env_new(&pool_validation_controller, NULL);

    env_put(env, "{kind: NodePool, metadata: {name: other}, spec: {template: {spec: {nodeClassRef: {group: "
                 "example.com, kind: ThingClass, name: default}}}}}");
    assert_string_equal(env_run(env, "1m"), "");
    env_free(env);
}
