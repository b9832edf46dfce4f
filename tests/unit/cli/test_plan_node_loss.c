// The annotation tenon.sh/node-loss-cost, a price for the share of a workload that one node's loss takes.
#include "cli/support/run.h"
#include "harness/test.h"

#include <stdio.h>

#define POOL_AT(cost)                                                                                                  \
    OBJECT("apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: default, annotations: "                      \
           "{tenon.sh/node-loss-cost: \"" cost "\"}}, spec: {template: {spec: {" CLASS_REF ", requirements: []}}}")

// Types of 2 and 8 CPUs; the large one is a little cheaper per CPU.
static const char catalogue[] =
    "["
    "{\"name\": \"two\", \"architecture\": \"amd64\", \"operatingSystems\": [\"linux\"], "
    "\"resources\": {\"cpu\": \"2\", \"memory\": \"64Gi\", \"pods\": \"50\"}, "
    "\"offerings\": [{\"Price\": 0.20, \"Requirements\": ["
    "{\"key\": \"karpenter.sh/capacity-type\", \"operator\": \"In\", \"values\": [\"on-demand\"]}, "
    "{\"key\": \"topology.kubernetes.io/zone\", \"operator\": \"In\", \"values\": [\"a\"]}]}]}, "
    "{\"name\": \"eight\", \"architecture\": \"amd64\", \"operatingSystems\": [\"linux\"], "
    "\"resources\": {\"cpu\": \"8\", \"memory\": \"64Gi\", \"pods\": \"50\"}, "
    "\"offerings\": [{\"Price\": 0.78, \"Requirements\": ["
    "{\"key\": \"karpenter.sh/capacity-type\", \"operator\": \"In\", \"values\": [\"on-demand\"]}, "
    "{\"key\": \"topology.kubernetes.io/zone\", \"operator\": \"In\", \"values\": [\"a\"]}]}]}"
    "]";

static uint32_t planned_nodes(Run *run, const char *manifests) {
    run_options(run)->format = OUTPUT_JSON;
    run_options(run)->catalogue.text = slice_of(catalogue);
    run_add(run, "all.yaml", manifests);
    assert_int_equal(run_plan(run), EXIT_ALL_PLACED);
    return value_get_text(run_json(run), "nodeClaims")->list.count;
}

// Eight pods of 0.9 CPU: eight on one "eight" for $0.78, or two on each of four "two" for $0.80.
TEST_F(Run, run, without_a_cost_the_cheapest_node_takes_all) {
    assert_int_equal(planned_nodes(run, POOL_AT("0") DEPLOYMENT("web", "8", "900m", "")), 1);
}

// The cost is 0.01 for one node and 0.0025 for four: the difference is less than the 0.02 between their prices.
TEST_F(Run, run, a_small_cost_does_not_pay_for_more_nodes) {
    assert_int_equal(planned_nodes(run, POOL_AT("0.01") DEPLOYMENT("web", "8", "900m", "")), 1);
}

TEST_F(Run, run, a_cost_above_the_difference_spreads_the_workload) {
    assert_int_equal(planned_nodes(run, POOL_AT("1") DEPLOYMENT("web", "8", "900m", "")), 4);
}

// The price that is shown is that of the nodes alone.
TEST_F(Run, run, the_cost_is_in_no_price) {
    planned_nodes(run, POOL_AT("1") DEPLOYMENT("web", "8", "900m", ""));
    assert_path(run, run_json(run), "price perHour", "0.8");
}

// Spreading single pods of different workloads does not lower the cost.
TEST_F(Run, run, single_pods_have_nothing_to_spread) {
    assert_int_equal(planned_nodes(run, POOL_AT("1") DEPLOYMENT("a", "1", "900m", "") DEPLOYMENT("b", "1", "900m", "")),
                     1);
}

TEST_F(Run, run, a_bad_cost_is_said) {
    run_options(run)->catalogue.text = slice_of(catalogue);
    run_add(run, "all.yaml", POOL_AT("much") POD("web", "1", ""));
    assert_int_equal(run_plan(run), EXIT_SOME_UNPLACED);
    assert_non_null(strstr(run_messages(run), "annotation tenon.sh/node-loss-cost: expected dollars per hour"));
}
