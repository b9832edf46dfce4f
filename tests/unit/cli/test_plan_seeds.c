// The manifests of examples/seeds: the v1 examples of the seeds, planned as a user would. Reference legacy.md R174 to
// R178.
#include "cli/support/run.h"
#include "harness/test.h"

#include <stdio.h>

// Plans the named files of examples/seeds with the built-in EC2 catalogue.
static const Value *plan_seeds(Run *run, const char *first, const char *second, const char *third) {
    const char *const files[] = {first, second, third};

    for (int i = 0; i < 3; i++) {
        if (files[i])
            run_add_file(run, files[i]);
    }
    run_options(run)->catalogue.text.len = 0;
    run_options(run)->format = OUTPUT_JSON;
    assert_int_equal(run_plan(run), EXIT_ALL_PLACED);
    assert_string_equal(run_messages(run), "");
    return run_json(run);
}

#define DEFAULT "examples/seeds/default.yaml"
#define WILD    "examples/seeds/wild.yaml"
#define FARM    "examples/seeds/farm.yaml"
#define DONGGYU "examples/seeds/donggyu.yaml"

// The values of a requirement of a claim, or "(none)".
static const char *values_of(Run *run, const Value *plan, int claim, const char *key) {
    const Value *list = value_at(&value_get_text(plan, "nodeClaims")->list.items[claim], "requirements", NULL);

    for (vec_each(Value, entry, &list->list)) {
        if (strcmp(value_path(run, entry, "key"), key) == 0)
            return value_path(run, entry, "values");
    }
    return "(none)";
}

TEST_F(Run, run, row_v1_seed_default_is_planned) {
    const Value *plan = plan_seeds(run, DEFAULT, NULL, NULL);

    // Two replicas of 1475m with zone spread: one node in each of the two zones.
    assert_path(run, plan, "nodeClaims 0 nodePool", "karpenter-default");
    assert_path(run, plan, "nodeClaims 0 choice zone", "ap-northeast-2a");
    assert_path(run, plan, "nodeClaims 1 choice zone", "ap-northeast-2c");
    assert_path(run, plan, "nodeClaims 0 choice capacityType", "spot");
    assert_path(run, plan, "nodeClaims 2 name", "(none)");
}

TEST_F(Run, run, row_v1_seed_donggyu_is_planned) {
    const Value *plan = plan_seeds(run, DONGGYU, NULL, NULL);

    assert_path(run, plan, "nodeClaims 0 instanceTypes", "t4g.medium");
    assert_path(run, plan, "nodeClaims 0 choice capacityType", "on-demand");
    assert_string_equal(values_of(run, plan, 0, "kubernetes.io/arch"), "arm64");
}

// R174: each claim refers to the class of its pool by group, kind and name.
TEST_F(Run, run, row_v1_seed_claims_are_linked_to_their_classes) {
    const Value *plan = plan_seeds(run, DEFAULT, WILD, FARM);
    const Value *claims = value_get_text(plan, "nodeClaims");

    for (uint32_t i = 0; i < claims->list.count; i++)
        assert_string_equal(values_of(run, plan, (int)i, "karpenter.k8s.aws/ec2nodeclass"),
                            value_path(run, &claims->list.items[i], "nodePool"));
    run_options(run)->format = OUTPUT_YAML;
    assert_int_equal(run_plan(run), EXIT_ALL_PLACED);
    assert_non_null(strstr(run_out(run), "  nodeClassRef:\n    group: karpenter.k8s.aws\n    kind: EC2NodeClass\n    "
                                         "name: farm\n"));
}

// R175: three pools, each with the pods that are meant for it.
TEST_F(Run, run, row_v1_seed_pools_default_wild_and_farm) {
    const Value *plan = plan_seeds(run, DEFAULT, WILD, FARM);
    const Value *claims = value_get_text(plan, "nodeClaims");

    for (vec_each(Value, claim, &claims->list)) {
        const char *pool = value_path(run, claim, "nodePool");
        const char *pods = value_path(run, claim, "pods");

        assert_true(strstr(pods, "dashboard") == NULL || strcmp(pool, "karpenter-default") == 0);
        assert_true(strstr(pods, "crawler") == NULL || strcmp(pool, "wild") == 0);
        assert_true(strstr(pods, "build") == NULL || strcmp(pool, "farm") == 0);
    }
    assert_path(run, plan, "stats pods", "11");
}

// R176: architecture, CPU count, capacity type and zone are requirements, which the claims meet.
TEST_F(Run, run, row_v1_seed_properties_hold) {
    const Value *plan = plan_seeds(run, FARM, NULL, NULL);

    assert_path(run, plan, "nodeClaims 0 choice zone", "ap-northeast-2c");
    assert_path(run, plan, "nodeClaims 0 choice capacityType", "on-demand");
    assert_string_equal(values_of(run, plan, 0, "kubernetes.io/arch"), "amd64");
    assert_string_equal(values_of(run, plan, 0, "karpenter.k8s.aws/instance-family"), "c6i c7i");
    // Three builds of 6 CPUs within a limit of 64.
    assert_path(run, plan, "stats pods", "3");
}

// R177: kubelet settings of the EC2NodeClass: with maxPods 30, a further pod needs a second node.
TEST_F(Run, run, row_v1_seed_kubelet_settings_of_the_class_count) {
    static char many[16384];
    int at = 0;
    for (int i = 0; i < 31; i++)
        at +=
            snprintf(many + at, sizeof many - (size_t)at,
                     "---\n{apiVersion: v1, kind: Pod, metadata: {name: tiny-%d}, spec: {nodeSelector: {pool: farm}, "
                     "tolerations: [{operator: Exists}], containers: [{name: c, image: i, resources: {requests: {cpu: "
                     "10m}}}]}}\n",
                     i);
    run_add(run, "tiny.yaml", many);
    run_add_file(run, FARM);
    run_options(run)->catalogue.text.len = 0;
    run_options(run)->explain = SLICE("tiny-30");

    assert_int_equal(run_plan(run), EXIT_ALL_PLACED);
    run_options(run)->explain = (Slice){0};
    run_options(run)->format = OUTPUT_JSON;
    assert_int_equal(run_plan(run), EXIT_ALL_PLACED);

    for (int claim = 0; claim < 3; claim++) {
        char path[64];
        const char *pods;
        int count = 1;

        snprintf(path, sizeof path, "nodeClaims %d pods", claim);
        pods = value_path(run, run_json(run), path);
        for (const char *c = pods; *c; c++)
            count += *c == ' ';
        assert_in_range(count, 1, 30);
    }
}

// R178: a claim is made from pending pods, with requirements, requests and the reference.
TEST_F(Run, run, row_v1_seed_claims_carry_requests) {
    const Value *plan = plan_seeds(run, DONGGYU, NULL, NULL);

    // Four replicas of 200m and 256Mi on one t4g.medium.
    assert_path(run, plan, "nodeClaims 0 requests cpu", "800m");
    assert_path(run, plan, "nodeClaims 0 requests memory", "1Gi");
    assert_path(run, plan, "nodeClaims 0 requests pods", "4");
    assert_string_equal(values_of(run, plan, 0, "karpenter.sh/nodepool"), "donggyu");
    assert_string_equal(values_of(run, plan, 0, "environment"), "donggyu-eks");
}
