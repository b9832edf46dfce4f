// --explain POD.
#include "cli/support/run.h"
#include "harness/test.h"

#include <stdio.h>

static int explain(Run *run, const char *pod) {
    run_options(run)->explain = slice_of(pod);
    return run_plan(run);
}

TEST_F(Run, run, explain_a_pod_that_goes_to_a_new_node) {
    run_add(run, "all.yaml", POOL("default") DEPLOYMENT("web", "2", "1", ""));

    assert_int_equal(explain(run, "default/web-1"), EXIT_ALL_PLACED);

    assert_string_equal(run_out(run), "default/web-1\n"
                                      "  goes to new node default-1 of nodepool default, with 1 other pod\n"
                                      "  expected: two in a, spot, $0.0600/hour; any of 3 types may be launched\n");
}

TEST_F(Run, run, explain_a_pod_that_goes_to_an_existing_node) {
    run_add(run, "all.yaml",
            POOL("default") OBJECT("apiVersion: v1, kind: Node, metadata: {name: node-1}, status: {allocatable: {cpu: "
                                   "4, memory: 8Gi, pods: 10}}") POD("web", "1", ""));

    assert_int_equal(explain(run, "web"), EXIT_ALL_PLACED);

    assert_string_equal(run_out(run), "default/web\n  goes to node node-1, which exists already\n");
}

TEST_F(Run, run, explain_as_json) {
    run_add(run, "all.yaml", POOL("default") DEPLOYMENT("web", "2", "1", "") POD("large", "99", ""));
    run_options(run)->format = OUTPUT_JSON;

    assert_int_equal(explain(run, "web-1"), EXIT_SOME_UNPLACED);
    assert_path(run, run_json(run), "pods 0 pod", "default/web-1");
    assert_path(run, run_json(run), "pods 0 nodeClaim name", "default-1");
    assert_path(run, run_json(run), "pods 0 nodeClaim choice instanceType", "two");
    assert_path(run, run_json(run), "pods 0 nodeClaim otherPods", "1");

    assert_int_equal(explain(run, "large"), EXIT_SOME_UNPLACED);
    assert_path(run, run_json(run), "pods 0 nodePools 0 reason", "instanceTypes");
    assert_path(run, run_json(run), "pods 0 nodeClaim", "(none)");
    run_options(run)->format = OUTPUT_YAML;
    assert_int_equal(explain(run, "large"), EXIT_SOME_UNPLACED);
    assert_non_null(strstr(run_out(run), "pod: default/large"));
}

TEST_F(Run, run, explain_a_pod_that_finds_no_place) {
    run_add(run, "all.yaml",
            POOL("default")
                POOL_WITH("red", "weight: 10, ",
                          "spec: {" CLASS_REF ", requirements: [], taints: [{key: team, value: red, effect: "
                          "NoSchedule}]}") POD("web", "9", ""));

    assert_int_equal(explain(run, "web"), EXIT_SOME_UNPLACED);

    assert_string_equal(run_out(run),
                        "default/web\n"
                        "  finds no place\n"
                        "  nodepool red: taints\n"
                        "    did not tolerate taint (taint=team=red:NoSchedule)\n"
                        "    nearest miss: add toleration team=red:NoSchedule to the pod\n"
                        "  nodepool default: instanceTypes\n"
                        "    no instance type has enough resources, requirements=karpenter.kwok.sh/kwoknodeclass In "
                        "[default], karpenter.sh/initialized In [true], karpenter.sh/nodepool In [default], "
                        "karpenter.sh/registered In [true], resources={\"cpu\":\"9\",\"pods\":\"1\"}\n"
                        "    nearest miss: the pod wants 9 cpu, the largest type has 8 free after daemons\n");
}

TEST_F(Run, run, explain_a_pod_that_is_not_planned_at_all) {
    run_add(run, "all.yaml",
            POOL("default") POD("web", "1",
                                ", volumes: [{name: v, persistentVolumeClaim: {claimName: "
                                "missing}}]"));

    assert_int_equal(explain(run, "web"), EXIT_SOME_UNPLACED);

    assert_non_null(
        strstr(run_out(run), "default/web\n  finds no place\n  ignoring pod, getting persistent volume claim"));
}

// A name without a namespace means every pod of that name.
TEST_F(Run, run, explain_by_name_finds_the_pod_in_each_namespace) {
    run_add(run, "all.yaml",
            POOL("default") POD("web", "1", "")
                OBJECT("apiVersion: v1, kind: Pod, metadata: {name: web, namespace: shop}, spec: {containers: [{name: "
                       "c, image: i}]}"));

    assert_int_equal(explain(run, "web"), EXIT_ALL_PLACED);
    assert_non_null(strstr(run_out(run), "default/web\n"));
    assert_non_null(strstr(run_out(run), "shop/web\n"));

    assert_int_equal(explain(run, "shop/web"), EXIT_ALL_PLACED);
    assert_null(strstr(run_out(run), "default/web\n"));
}

TEST_F(Run, run, explain_does_not_take_the_end_of_a_name) {
    run_add(run, "all.yaml", POOL("default") POD("my-web", "1", ""));

    assert_int_equal(explain(run, "web"), EXIT_BAD_INPUT);
}

TEST_F(Run, run, explain_of_an_unknown_pod_is_bad_input) {
    run_add(run, "all.yaml", POOL("default") POD("web", "1", ""));

    assert_int_equal(explain(run, "api"), EXIT_BAD_INPUT);

    assert_string_equal(run_out(run), "");
    assert_string_equal(run_messages(run), "error: --explain: no pod api is waiting to be planned in the input\n");
}

#define PICKY                                                                                                          \
    ", affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 20, preference: "          \
    "{matchExpressions: [{key: node.kubernetes.io/instance-type, operator: In, values: [four]}]}}, {weight: 1, "       \
    "preference: {matchExpressions: [{key: topology.kubernetes.io/zone, operator: In, values: [b]}]}}]}}"

// The type costs twice as much as the two pods on the smaller one.
TEST_F(Run, run, explain_which_preferences_are_worth_their_price) {
    run_add(run, "all.yaml", POOL("default") DEPLOYMENT("web", "2", "1", PICKY));
    run_options(run)->preferences = PREFERENCES_WEIGH;

    assert_int_equal(explain(run, "web-1"), EXIT_ALL_PLACED);

    assert_string_equal(
        run_out(run),
        "default/web-1\n"
        "  goes to new node default-1 of nodepool default, with 1 other pod\n"
        "  expected: two in b, spot, $0.0600/hour; any of 3 types may be launched\n"
        "  preferred node affinity: node.kubernetes.io/instance-type In [four] (weight 20) left out: 100%\n"
        "  dearer\n"
        "  preferred node affinity: topology.kubernetes.io/zone In [b] (weight 1) kept: costs nothing\n");
}

TEST_F(Run, run, explain_preferences_as_json) {
    run_add(run, "all.yaml", POOL("default") DEPLOYMENT("web", "2", "1", PICKY));
    run_options(run)->preferences = PREFERENCES_WEIGH;
    run_options(run)->format = OUTPUT_JSON;

    assert_int_equal(explain(run, "web-1"), EXIT_ALL_PLACED);
    assert_path(run, run_json(run), "pods 0 preferences 0 weight", "20");
    assert_path(run, run_json(run), "pods 0 preferences 0 kept", "false");
    assert_path(run, run_json(run), "pods 0 preferences 0 possible", "true");
    assert_path(run, run_json(run), "pods 0 preferences 1 kept", "true");

    run_options(run)->preferences = PREFERENCES_RESPECT;
    assert_int_equal(explain(run, "web-1"), EXIT_ALL_PLACED);
    assert_path(run, run_json(run), "pods 0 preferences", "(none)");
}
