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
        "No plan for these pods costs less than $0.1200/hour: this one is at most 0.0% above.\n"
        "In Karpenter's manner (emptiest-first, tenon's imitation of it): $0.1200/hour, 0.0% more.\n");
    assert_string_equal(run_messages(run), "");
}

#define PICKY                                                                                                          \
    ", affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 20, preference: "          \
    "{matchExpressions: [{key: node.kubernetes.io/instance-type, operator: In, values: [four]}]}}, {weight: 1, "       \
    "preference: {matchExpressions: [{key: topology.kubernetes.io/zone, operator: In, values: [b]}]}}]}}"

TEST_F(Run, run, table_names_preferences_that_are_left_out) {
    run_add(run, "all.yaml", POOL("default") DEPLOYMENT("web", "2", "1", PICKY));
    run_options(run)->preferences = PREFERENCES_WEIGH;

    assert_int_equal(run_plan(run), EXIT_ALL_PLACED);

    assert_non_null(strstr(run_out(run),
                           "\nPreferred rules left out:\n"
                           "  default/web-0 and 1 more like it, $0.0300/hour each without preferences:\n"
                           "    left out: preferred node affinity: node.kubernetes.io/instance-type In [four] (weight "
                           "20): 100%\n    dearer\n\nTotal: "));
    assert_null(strstr(run_out(run), "kept"));
}

TEST_F(Run, run, wide_table_names_all_preferences) {
    run_add(run, "all.yaml", POOL("default") DEPLOYMENT("web", "2", "1", PICKY));
    run_options(run)->preferences = PREFERENCES_WEIGH;
    run_options(run)->format = OUTPUT_WIDE;

    assert_int_equal(run_plan(run), EXIT_ALL_PLACED);

    assert_non_null(strstr(run_out(run), "\nPreferred rules:\n"));
    assert_non_null(strstr(run_out(run), "    kept: preferred node affinity: topology.kubernetes.io/zone In [b] "
                                         "(weight 1): costs nothing\n"));
}

TEST_F(Run, run, table_marks_prices_that_are_estimates) {
    run_options(run)->catalogue.text =
        SLICE("[{\"name\": \"two\", \"architecture\": \"amd64\", \"operatingSystems\": [\"linux\"], \"resources\": "
              "{\"cpu\": \"2\", \"memory\": \"8Gi\"}, \"offerings\": [{\"Price\": 0.1, \"PriceEstimated\": true, "
              "\"Requirements\": [{\"key\": \"karpenter.sh/capacity-type\", \"operator\": \"In\", \"values\": "
              "[\"spot\"]}, {\"key\": \"topology.kubernetes.io/zone\", \"operator\": \"In\", \"values\": "
              "[\"a\"]}]}]}]");
    run_add(run, "all.yaml", POOL("default") DEPLOYMENT("web", "1", "1", ""));

    assert_int_equal(run_plan(run), EXIT_ALL_PLACED);

    assert_non_null(strstr(run_out(run), "   ~0.1000\n"));
    assert_non_null(strstr(run_out(run), "Total: 1 new node for 1 pod, ~$0.1000/hour (~$73.00/month"));
    assert_non_null(strstr(run_out(run), "\n~ is an estimate: "));

    run_options(run)->format = OUTPUT_JSON;
    assert_int_equal(run_plan(run), EXIT_ALL_PLACED);
    assert_path(run, run_json(run), "nodeClaims 0 choice priceEstimated", "true");
    assert_path(run, run_json(run), "price estimated", "true");
    assert_path(run, run_json(run), "price source", "catalogue.json");
    assert_path(run, run_json(run), "price emptiestFirstPerHour", "0.1");
}

// Everything but the line ends that the table itself has.
static void assert_harmless(const char *text) {
    for (const char *at = text; *at; at++) {
        if ((unsigned char)*at < 0x20 && *at != '\n')
            fail_msg("control character 0x%02x in: %s", (unsigned char)*at, text);
    }
    if (strstr(text, "\nINJECTED") || strncmp(text, "INJECTED", 8) == 0)
        fail_msg("a line of the manifest's own in: %s", text);
}

// Every text of the input that a column or a message shows: pools, types, zones, pods, nodes, labels, keys, claims.
TEST_F(Run, run, nothing_in_a_manifest_can_hurt_a_terminal) {
#define EVIL    "x\\e[2J\\nINJECTED"
#define Q(text) "\"" text "\""
    static const OutputFormat formats[] = {OUTPUT_TABLE, OUTPUT_WIDE};

    run_options(run)->catalogue.text =
        SLICE("[{\"name\": \"x\\u001b[2J\\nINJECTED\", \"architecture\": \"amd64\", \"operatingSystems\": "
              "[\"linux\"], \"resources\": {\"cpu\": \"2\", \"memory\": \"8Gi\"}, \"offerings\": [{\"Price\": 0.1, "
              "\"Requirements\": [{\"key\": \"karpenter.sh/capacity-type\", \"operator\": \"In\", \"values\": "
              "[\"spot\"]}, {\"key\": \"topology.kubernetes.io/zone\", \"operator\": \"In\", \"values\": "
              "[\"x\\u001b[2J\\nINJECTED\"]}]}]}]");
    run_add(
        run, "all.yaml",
        OBJECT("apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: " Q(
            EVIL) "}, spec: {template: {spec: {" CLASS_REF ", requirements: []}}}") DEPLOYMENT(Q(EVIL), "3", "1", "")
            OBJECT("apiVersion: v1, kind: Node, metadata: {name: " Q(
                EVIL) "}, status: {allocatable: {cpu: 1, memory: "
                      "8Gi, pods: 10}}") POD(Q(EVIL "1"), "1", ", nodeSelector: {" Q(EVIL) ": " Q(EVIL) "}")
                POD(Q(EVIL "2"), "1", ", schedulerName: " Q(EVIL)) POD(Q(EVIL "3"), "99", "") POD(
                    Q(EVIL "4"), "1",
                    ", topologySpreadConstraints: [{maxSkew: 1, topologyKey: " Q(
                        EVIL) ", whenUnsatisfiable: DoNotSchedule, labelSelector: {}}]")
                    POD(Q(EVIL "5"), "1", ", volumes: [{name: v, persistentVolumeClaim: {claimName: " Q(EVIL) "}}]")
                        POD(Q(EVIL "6"), "1", ", runtimeClassName: " Q(EVIL) ", priorityClassName: " Q(EVIL))
                            OBJECT("apiVersion: " Q(EVIL "/v1") ", kind: " Q(EVIL) ", metadata: {name: " Q(EVIL) "}"));
    for (size_t i = 0; i < 2; i++) {
        run_options(run)->format = formats[i];
        if (run_plan(run) != EXIT_SOME_UNPLACED)
            fail_msg("%s", run_messages(run));
        assert_harmless(run_out(run));
        assert_harmless(run_messages(run));
        assert_non_null(strstr(run_out(run), "x\\x1b[2J\\x0aINJ"));
    }
    for (char number = '1'; number <= '6'; number++) {
        char pod[64] = "x\x1b[2J\nINJECTED ";

        pod[strlen(pod) - 1] = number;
        run_options(run)->explain = slice_of(pod);
        if (number != '2')
            assert_int_equal(run_plan(run), EXIT_SOME_UNPLACED);
        assert_harmless(run_out(run));
    }
}

TEST_F(Run, run, table_counts_nodes_that_look_alike) {
    run_add(run, "all.yaml", POOL("default") DEPLOYMENT("web", "3", "7", ""));

    assert_int_equal(run_plan(run), EXIT_ALL_PLACED);

    assert_non_null(strstr(
        run_out(run),
        "    3  default            eight                a                spot           3  88%   0%    0.7200\n"));
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
