// -o table and -o wide: what a person reads, in at most 100 columns.
#include "cli/support/run.h"
#include "harness/test.h"

#include <stdio.h>

#define NAME_63 "abcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghij123"
#define NAME_253                                                                                                       \
    NAME_63 "." NAME_63 "." NAME_63 "."                                                                                \
            "abcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghij1"

TEST_F(Run, run, table_of_a_simple_plan) {
    run_add(run, "all.yaml", POOL("default") DEPLOYMENT("web", "3", "1", ""));

    assert_int_equal(run_plan(run), EXIT_ALL_PLACED);

    assert_string_equal(
        run_out(run),
        "NODES  NODEPOOL           TYPE                 ZONE             CAPACITY    PODS  CPU  MEM    $/HOUR\n"
        "    1  default            four                 a                spot           3  75%   0%    0.1200\n"
        "\n"
        "Total: 1 new node for 3 pods, $0.1200/hour ($87.60/month of 730 hours).\n"
        "No plan for these pods costs less than $0.0900/hour: this one is at most 33.3% above.\n");
    assert_string_equal(run_messages(run), "");
}

TEST_F(Run, run, table_counts_nodes_that_look_alike) {
    run_add(run, "all.yaml", POOL("default") DEPLOYMENT("web", "3", "7", ""));

    assert_int_equal(run_plan(run), EXIT_ALL_PLACED);

    assert_non_null(strstr(
        run_out(run),
        "    3  default            eight                a                spot           1  88%   0%    0.7200\n"));
    assert_non_null(strstr(run_out(run), "Total: 3 new nodes for 3 pods, $0.7200/hour"));
}

TEST_F(Run, run, table_says_what_found_no_place) {
    run_add(run, "all.yaml", POOL("default") DEPLOYMENT("large", "3", "9", "") POD("web", "1", ""));

    assert_int_equal(run_plan(run), EXIT_SOME_UNPLACED);

    assert_non_null(strstr(run_out(run), "\n3 pods found no place:\n"
                                         "  default/large-0 and 2 more like it\n"
                                         "      nodepool default: instanceTypes: the pod wants 9 cpu, the largest type "
                                         "has 8 free after\n"
                                         "      daemons\n"));
    assert_non_null(strstr(run_out(run), "Total: 1 new node for 1 pod, "));
}

TEST_F(Run, run, table_says_what_goes_to_existing_nodes) {
    run_add(run, "all.yaml",
            POOL("default") OBJECT("apiVersion: v1, kind: Node, metadata: {name: node-1}, status: {allocatable: {cpu: "
                                   "4, memory: 8Gi, pods: 10}}") DEPLOYMENT("web", "3", "1", ""));

    assert_int_equal(run_plan(run), EXIT_ALL_PLACED);

    assert_string_equal(run_out(run), "3 pods go to 1 node that exists already.\n"
                                      "\n"
                                      "Total: 0 new nodes for 0 pods, $0.0000/hour ($0.00/month of 730 hours).\n");
}

TEST_F(Run, run, table_of_nothing_to_plan_ends_with_the_total) {
    run_add(run, "all.yaml", POOL("default"));

    assert_int_equal(run_plan(run), EXIT_ALL_PLACED);

    assert_string_equal(run_out(run), "Total: 0 new nodes for 0 pods, $0.0000/hour ($0.00/month of 730 hours).\n");
}

TEST_F(Run, run, wide_names_the_pods_of_each_node) {
    run_add(run, "all.yaml", POOL("default") DEPLOYMENT("web", "2", "1", ""));
    run_options(run)->format = OUTPUT_WIDE;

    assert_int_equal(run_plan(run), EXIT_ALL_PLACED);

    assert_non_null(strstr(run_out(run), "\ndefault-1: any of 3 instance types\n  default/web-0\n  default/web-1\n"));
}

// --- at most 100 columns

static void plan_and_measure(Run *run) {
    static const OutputFormat formats[] = {OUTPUT_TABLE, OUTPUT_WIDE};

    for (int i = 0; i < 2; i++) {
        size_t longest;

        run_options(run)->format = formats[i];
        assert_int_not_equal(run_plan(run), EXIT_BAD_INPUT);
        longest = longest_line(run_out(run));
        if (longest > 100)
            print_message("%s", run_out(run));
        assert_in_range(longest, 1, 100);
    }
}

TEST_F(Run, run, table_fits_100_columns_with_long_names) {
    run_add(run, "all.yaml",
            POOL(NAME_63) POD(NAME_253, "1", "")
                POD("x", "1", ", nodeSelector: {example.com/" NAME_63 ": " NAME_63 "}"));

    plan_and_measure(run);

    assert_non_null(strstr(run_out(run), "abcdefghijabcdefg… "));
}

TEST_F(Run, run, table_fits_100_columns_with_long_names_that_find_no_place) {
    run_add(run, "all.yaml",
            POOL(NAME_63) OBJECT("apiVersion: v1, kind: Pod, metadata: {name: " NAME_253 ", namespace: " NAME_63
                                 "}, spec: {containers: [{name: c, image: i, resources: {requests: {cpu: 99}}}]}"));

    plan_and_measure(run);
}

TEST_F(Run, run, table_fits_100_columns_with_many_like_it) {
    run_add(run, "all.yaml", POOL(NAME_63) DEPLOYMENT(NAME_63, "12345", "99", ""));

    plan_and_measure(run);
}

TEST_F(Run, run, table_fits_100_columns_with_long_type_and_zone_names) {
    run_options(run)->catalogue.text = slice_of(
        "[{\"name\": \"" NAME_63 "\", \"architecture\": \"amd64\", \"resources\": {\"cpu\": \"2\", \"memory\": "
        "\"4Gi\"}, \"offerings\": [{\"Price\": 123456.5, \"Requirements\": [{\"key\": \"karpenter.sh/capacity-type\", "
        "\"operator\": \"In\", \"values\": [\"on-demand\"]}, {\"key\": \"topology.kubernetes.io/zone\", \"operator\": "
        "\"In\", \"values\": [\"" NAME_63 "\"]}]}]}]");
    run_add(run, "all.yaml", POOL(NAME_63) DEPLOYMENT("web", "2", "1500m", ""));

    plan_and_measure(run);
}

TEST_F(Run, run, table_fits_100_columns_with_a_thousand_nodes) {
    run_options(run)->catalogue.text = slice_of(
        "[{\"name\": \"dear\", \"architecture\": \"amd64\", \"resources\": {\"cpu\": \"2\", \"memory\": \"4Gi\"}, "
        "\"offerings\": [{\"Price\": 98.32, \"Requirements\": [{\"key\": \"karpenter.sh/capacity-type\", \"operator\": "
        "\"In\", \"values\": [\"on-demand\"]}, {\"key\": \"topology.kubernetes.io/zone\", \"operator\": \"In\", "
        "\"values\": [\"a\"]}]}]}]");
    run_add(run, "all.yaml", POOL("default") DEPLOYMENT("web", "1500", "1500m", ""));

    plan_and_measure(run);

    assert_non_null(strstr(run_out(run), "$147480.0000/hour"));
}

TEST_F(Run, run, table_fits_100_columns_with_long_reasons) {
    run_add(run, "all.yaml",
            POOL_WITH("one", "",
                      "spec: {" CLASS_REF ", taints: [{key: " NAME_63 ", value: " NAME_63
                      ", effect: NoSchedule}, {key: "
                      "b/" NAME_63 ", effect: NoExecute}], requirements: []}") POD("web", "1", ""));

    plan_and_measure(run);
}

TEST_F(Run, run, table_fits_100_columns_with_pods_that_are_ignored) {
    run_add(run, "all.yaml", POOL("default") POD("web", "1", ", nodeSelector: {kubernetes.io/hostname: x}"));

    plan_and_measure(run);
}
