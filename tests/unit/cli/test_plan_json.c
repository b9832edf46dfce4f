// -o json: the object of docs/plan-json.md.
#include "cli/support/run.h"
#include "harness/test.h"

#include <stdio.h>
#include <stdlib.h>

#define NODE(name)                                                                                                     \
    OBJECT("apiVersion: v1, kind: Node, metadata: {name: " name "}, status: {capacity: {cpu: 2, memory: 4Gi, pods: "   \
           "10}, allocatable: {cpu: 2, memory: 4Gi, pods: 10}}")

static const Value *plan_json(Run *run, int status) {
    run_options(run)->format = OUTPUT_JSON;
    assert_int_equal(run_plan(run), status);
    return run_json(run);
}

// A pod on an existing node, two on a new one, one unplaced.
static const Value *mixed_plan(Run *run) {
    run_add(run, "all.yaml",
            POOL("default") NODE("node-1") POD("first", "2", "")
                POD("second", "1500m", ", nodeSelector: {topology.kubernetes.io/zone: b}")
                    POD("third", "1", ", nodeSelector: {topology.kubernetes.io/zone: b}") POD("large", "9", ""));
    return plan_json(run, EXIT_SOME_UNPLACED);
}

TEST_F(Run, run, json_has_the_documented_members_in_order) {
    static const char *const members[] = {"nodeClaims", "existingNodes", "unschedulable", "price", "stats"};
    const Value *plan = mixed_plan(run);

    assert_int_equal(plan->map.count, 5);
    for (uint32_t i = 0; i < 5; i++)
        assert_true(slice_eq_text(plan->map.items[i].key, members[i]));
}

TEST_F(Run, run, json_claim_members) {
    static const char *const members[] = {"name",         "nodePool", "instanceTypes", "choice",
                                          "requirements", "requests", "pods"};
    const Value *plan = mixed_plan(run);
    const Value *claim = &value_get_text(plan, "nodeClaims")->list.items[0];

    assert_int_equal(claim->map.count, 7);
    for (uint32_t i = 0; i < 7; i++)
        assert_true(slice_eq_text(claim->map.items[i].key, members[i]));
    assert_path(run, claim, "name", "default-1");
    assert_path(run, claim, "nodePool", "default");
    assert_path(run, claim, "instanceTypes", "four eight");
    assert_path(run, claim, "pods", "default/second default/third");
    assert_path(run, plan, "nodeClaims 1 name", "(none)");
}

TEST_F(Run, run, json_choice) {
    const Value *plan = mixed_plan(run);

    assert_path(run, plan, "nodeClaims 0 choice instanceType", "four");
    assert_path(run, plan, "nodeClaims 0 choice zone", "b");
    assert_path(run, plan, "nodeClaims 0 choice capacityType", "spot");
    assert_path(run, plan, "nodeClaims 0 choice pricePerHour", "0.12");
}

TEST_F(Run, run, json_requirements_are_sorted_by_key) {
    const Value *list = value_at(&value_get_text(mixed_plan(run), "nodeClaims")->list.items[0], "requirements", NULL);
    const char *last = "";

    assert_true(list->list.count >= 4);
    for (vec_each(Value, entry, &list->list)) {
        const char *key = value_path(run, entry, "key");

        assert_true(strcmp(last, key) <= 0);
        last = key;
        assert_path(run, entry, "operator", "In");
    }
}

TEST_F(Run, run, json_requests_are_canonical_quantities) {
    const Value *plan = mixed_plan(run);

    assert_path(run, plan, "nodeClaims 0 requests cpu", "2500m");
    assert_path(run, plan, "nodeClaims 0 requests pods", "2");
}

TEST_F(Run, run, json_existing_nodes_name_only_what_is_planned_there) {
    run_add(run, "bound.yaml", NODE("node-2") POD("there", "1500m", ", nodeName: node-2"));
    const Value *plan = mixed_plan(run);

    assert_path(run, plan, "existingNodes 0 name", "node-1");
    assert_path(run, plan, "existingNodes 0 pods", "default/first");
    assert_path(run, plan, "existingNodes 1 name", "(none)");
}

TEST_F(Run, run, json_unschedulable) {
    const Value *plan = mixed_plan(run);

    assert_path(run, plan, "unschedulable 0 pod", "default/large");
    assert_path(run, plan, "unschedulable 0 message",
                "no instance type has enough resources, requirements=karpenter.kwok.sh/kwoknodeclass In [default], "
                "karpenter.sh/initialized In [true], karpenter.sh/nodepool In [default], karpenter.sh/registered In "
                "[true], resources={\"cpu\":\"9\",\"pods\":\"1\"}");
    assert_path(run, plan, "unschedulable 0 nodePools 0 name", "default");
    assert_path(run, plan, "unschedulable 0 nodePools 0 reason", "instanceTypes");
    assert_path(run, plan, "unschedulable 0 nodePools 0 nearestMiss",
                "the pod wants 9 cpu, the largest type has 8 free after daemons");
}

// The last digits of numbers from a linear program are not compared.
static void assert_near(const char *number, double expected) {
    assert_float_equal(strtod(number, NULL), expected, 1e-3);
}

// The floor equals the price, so the plan is optimal.
TEST_F(Run, run, json_price_and_stats) {
    const Value *plan = mixed_plan(run);

    assert_path(run, plan, "price perHour", "0.12");
    assert_near(value_path(run, plan, "price floorPerHour"), 0.12);
    assert_near(value_path(run, plan, "price gapPercent"), 0);
    assert_path(run, plan, "stats pods", "4");
    assert_path(run, plan, "stats classes", "4");
    assert_path(run, plan, "stats instanceTypes", "3");
    assert_path(run, plan, "stats solveMilliseconds", "0");
}

TEST_F(Run, run, json_without_a_floor_says_null) {
    const Value *plan;

    run_options(run)->effort = EFFORT_FAST;
    plan = mixed_plan(run);
    assert_path(run, plan, "price floorPerHour", "null");
    assert_path(run, plan, "price gapPercent", "null");
    assert_path(run, plan, "stats strategy", "marginal-price");
}

TEST_F(Run, run, json_of_nothing_to_plan_is_complete) {
    run_add(run, "all.yaml", POOL("default"));
    const Value *plan = plan_json(run, EXIT_ALL_PLACED);

    assert_path(run, plan, "nodeClaims", "[]");
    assert_path(run, plan, "existingNodes", "[]");
    assert_path(run, plan, "unschedulable", "[]");
    assert_path(run, plan, "price perHour", "0");
    assert_path(run, plan, "stats pods", "0");
}

TEST_F(Run, run, json_min_values_stand_with_their_key) {
    run_add(run, "all.yaml",
            POOL_WITH("default", "",
                      "spec: {" CLASS_REF ", requirements: [{key: node.kubernetes.io/instance-type, operator: In, "
                      "values: [two, four], minValues: 2}]}") POD("web", "1", ""));
    const Value *plan = plan_json(run, EXIT_ALL_PLACED);
    const Value *list = value_at(&value_get_text(plan, "nodeClaims")->list.items[0], "requirements", NULL);
    bool found = false;

    for (vec_each(Value, entry, &list->list)) {
        if (strcmp(value_path(run, entry, "key"), "node.kubernetes.io/instance-type") != 0)
            continue;
        found = true;
        assert_path(run, entry, "minValues", "2");
        assert_path(run, entry, "values", "four two");
    }
    assert_true(found);
}

TEST_F(Run, run, json_texts_are_escaped) {
    run_add(run, "all.yaml",
            POOL_WITH("default", "", "spec: {" CLASS_REF ", requirements: [{key: team, operator: Exists}]}")
                POD("web", "1", ", nodeSelector: {tea: \"x\"}"));
    const Value *plan = plan_json(run, EXIT_SOME_UNPLACED);

    assert_path(run, plan, "unschedulable 0 message",
                "incompatible requirements, label \"tea\" does not have known values (typo of \"team\"?)");
}

// The same bytes for the same input, run after run.
TEST_F(Run, run, json_is_the_same_byte_for_byte) {
    const char *first;
    run_add(run, "all.yaml",
            POOL("default") POOL("other") POOL("third") NODE("node-2") NODE("node-1")
                DEPLOYMENT("web", "17", "300m",
                           ", topologySpreadConstraints: [{topologyKey: topology.kubernetes.io/zone, maxSkew: 1, "
                           "whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}]")
                    DEPLOYMENT("api", "9", "700m",
                               ", affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                               "[{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: api}}}]}}")
                        DEPLOYMENT("large", "2", "9", ""));
    run_options(run)->format = OUTPUT_JSON;
    assert_int_equal(run_plan(run), EXIT_SOME_UNPLACED);
    first = run_out(run);

    for (int i = 0; i < 5; i++) {
        assert_int_equal(run_plan(run), EXIT_SOME_UNPLACED);
        assert_string_equal(run_out(run), first);
    }
}

// The order in which files are given must not change where pods go, as far as the pods' own order stays.
TEST_F(Run, run, json_does_not_depend_on_the_order_of_pools) {
    Run *other = run_setup();
    const char *pods = DEPLOYMENT("web", "5", "1", "");

    run_add(run, "a.yaml", POOL("default") POOL("second"));
    run_add(run, "pods.yaml", pods);
    run_add(other, "a.yaml", POOL("second") POOL("default"));
    run_add(other, "pods.yaml", pods);

    plan_json(run, EXIT_ALL_PLACED);
    plan_json(other, EXIT_ALL_PLACED);

    assert_string_equal(run_out(run), run_out(other));
    run_teardown(other);
}

TEST_F(Run, run, json_of_preferences_that_are_weighed) {
    const Value *plan;

    run_add(run, "all.yaml",
            POOL("default") DEPLOYMENT("web", "2", "1",
                                       ", affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: "
                                       "[{weight: 20, preference: {matchExpressions: [{key: "
                                       "node.kubernetes.io/instance-type, operator: In, values: [four, six]}]}}, "
                                       "{weight: 10, preference: {matchExpressions: [{key: nowhere, operator: "
                                       "Exists}]}}]}}"));
    run_options(run)->preferences = PREFERENCES_WEIGH;
    plan = plan_json(run, EXIT_ALL_PLACED);

    assert_path(run, plan, "preferences 0 pod", "default/web-0");
    assert_path(run, plan, "preferences 0 pods", "2");
    assert_path(run, plan, "preferences 0 ratePerHour", "0.03");
    assert_path(run, plan, "preferences 0 rules 0 rule",
                "node affinity: node.kubernetes.io/instance-type In [four six]");
    assert_path(run, plan, "preferences 0 rules 0 weight", "20");
    assert_path(run, plan, "preferences 0 rules 0 kept", "0");
    assert_path(run, plan, "preferences 0 rules 0 leftOut", "2");
    assert_path(run, plan, "preferences 0 rules 0 dearerPercent", "100");
    assert_path(run, plan, "preferences 0 rules 1 possible", "false");
    assert_path(run, plan, "preferences 0 rules 1 dearerPercent", "null");
}
