// nodepool.validation: reference lifecycle.md 5.5, scheduling.md 1.2. What the API server refuses already (schema, CEL)
// cannot be put on the stage; model/decode/test_nodepool.c has it.
#include "ctl/support/stage.h"

#include "ctl/pool/controllers.h"

// The condition of a pool with that spec.template, and the server's own.
static const char *validated(Stage *stage, const char *template) {
    stage_put(stage, "{kind: NodePool, metadata: {name: default}, spec: {template: {%s}}}", template);
    stage_run(stage, "1s");
    return stage_condition(stage, KUBE_NODE_POOL, "default", "ValidationSucceeded");
}

// The complaint begins with that text.
static void assert_complaint(const char *template, const char *complaint) {
    Stage *stage = stage_new(&pool_validation_controller, NULL);
    char expected[512];

    snprintf(expected, sizeof expected, "False/NodePoolValidationFailed: %s", complaint);
    assert_int_equal(strncmp(validated(stage, template), expected, strlen(expected)), 0);
    assert_says(stage_condition(stage, KUBE_NODE_POOL, "default", "Ready"), "False/UnhealthyDependents: ");
    assert_says(stage_condition(stage, KUBE_NODE_POOL, "default", "Ready"), "ValidationSucceeded=False");
    stage_free(stage);
}

static void a_good_pool_passes(void **state) {
    Stage *stage = stage_new(&pool_validation_controller, NULL);

    (void)state;
    assert_string_equal(validated(stage,
                                  "metadata: {labels: {team: a}}, spec: {taints: [{key: gpu, effect: NoSchedule}],"
                                  " requirements: [{key: karpenter.sh/capacity-type, operator: In,"
                                  " values: [spot, on-demand]}]}"),
                        "True/ValidationSucceeded");
    assert_string_equal(stage_run(stage, "1h"), "");
    stage_free(stage);
}

static void labels_of_a_providers_domain_are_restricted(void **state) {
    (void)state;
    assert_complaint("metadata: {labels: {karpenter.k8s.aws/mine: a}}",
                     "invalid key name \"karpenter.k8s.aws/mine\" in labels, using label karpenter.k8s.aws/mine is not "
                     "allowed as it might interfere with the internal provisioning logic; specify a well known label: "
                     "[karpenter.k8s.aws/");
}

static void a_requirement_of_a_restricted_domain_is_refused(void **state) {
    (void)state;
    assert_complaint("spec: {requirements: [{key: karpenter.k8s.aws/mine, operator: Exists}]}",
                     "using label karpenter.k8s.aws/mine is not allowed as it might interfere with the internal "
                     "provisioning logic; specify a well known label: [karpenter.k8s.aws/");
}

static void a_taint_may_stand_once_in_both_lists(void **state) {
    (void)state;
    assert_complaint("spec: {taints: [{key: gpu, value: a, effect: NoSchedule}], startupTaints: [{key: gpu, value: b, "
                     "effect: NoSchedule}]}",
                     "duplicate taint Key/Effect pair gpu=NoSchedule");
}

static void a_value_must_be_a_label_value(void **state) {
    (void)state;
    assert_complaint("spec: {requirements: [{key: team, operator: In, values: ['not a value']}]}",
                     "invalid value not a value for key team, ");
}

static void a_capacity_type_must_be_known(void **state) {
    (void)state;
    assert_complaint("spec: {requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [cheap]}]}",
                     "no valid values found in karpenter.sh/capacity-type In [cheap], expected one of: [on-demand "
                     "reserved spot]");
}

static void one_known_capacity_type_is_enough(void **state) {
    Stage *stage = stage_new(&pool_validation_controller, NULL);

    (void)state;
    assert_string_equal(validated(stage,
                                  "spec: {requirements: [{key: karpenter.sh/capacity-type, operator: In, values: "
                                  "[cheap, spot]}]}"),
                        "True/ValidationSucceeded");
    stage_free(stage);
}

static void as_many_known_capacity_types_as_min_values(void **state) {
    (void)state;
    assert_complaint(
        "spec: {requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [cheap, spot], "
        "minValues: 2}]}",
        "not enough valid values found in karpenter.sh/capacity-type In [cheap spot] minValues 2, expected at least 2");
}

static void all_that_is_wrong_is_said(void **state) {
    (void)state;
    assert_complaint("spec: {taints: [{key: gpu, effect: NoSchedule}, {key: gpu, effect: NoSchedule}], requirements: "
                     "[{key: karpenter.sh/capacity-type, operator: In, values: [cheap]}]}",
                     "duplicate taint Key/Effect pair gpu=NoSchedule; no valid values found in "
                     "karpenter.sh/capacity-type In [cheap], expected one of: [on-demand reserved spot]");
}

static void a_pool_that_is_mended_passes(void **state) {
    Stage *stage = stage_new(&pool_validation_controller, NULL);

    (void)state;
    validated(stage, "spec: {requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [cheap]}]}");
    assert_string_equal(
        validated(stage, "spec: {requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [spot]}]}"),
        "True/ValidationSucceeded");
    stage_free(stage);
}

static void a_pool_of_another_provider_is_left_alone(void **state) {
    Stage *stage = stage_new(&pool_validation_controller, NULL);

    (void)state;
    stage_put(stage, "{kind: NodePool, metadata: {name: other}, spec: {template: {spec: {nodeClassRef: {group: "
                     "example.com, kind: ThingClass, name: default}}}}}");
    assert_string_equal(stage_run(stage, "1m"), "");
    stage_free(stage);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_pool_passes),
        cmocka_unit_test(labels_of_a_providers_domain_are_restricted),
        cmocka_unit_test(a_requirement_of_a_restricted_domain_is_refused),
        cmocka_unit_test(a_taint_may_stand_once_in_both_lists),
        cmocka_unit_test(a_value_must_be_a_label_value),
        cmocka_unit_test(a_capacity_type_must_be_known),
        cmocka_unit_test(one_known_capacity_type_is_enough),
        cmocka_unit_test(as_many_known_capacity_types_as_min_values),
        cmocka_unit_test(all_that_is_wrong_is_said),
        cmocka_unit_test(a_pool_that_is_mended_passes),
        cmocka_unit_test(a_pool_of_another_provider_is_left_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
