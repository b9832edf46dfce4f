// Input of `tenon plan`: formats, warnings, exit statuses, catalogues and regions.
#include "cli/support/run.h"
#include "harness/test.h"

#include <stdio.h>

static void assert_messages(Run *run, const char *expected) {
    assert_string_equal(run_messages(run), expected);
}

// --- exit statuses

TEST_F(Run, run, load_exit_0_when_every_pod_is_placed) {
    run_add(run, "all.yaml", POOL("default") POD("web", "1", ""));

    assert_int_equal(run_plan(run), 0);
}

TEST_F(Run, run, load_exit_3_when_some_have_none) {
    run_add(run, "all.yaml", POOL("default") POD("web", "1", "") POD("large", "99", ""));

    assert_int_equal(run_plan(run), 3);
}

TEST_F(Run, run, load_exit_3_when_a_pod_is_ignored) {
    run_add(run, "all.yaml", POOL("default") POD("web", "1", ", nodeSelector: {kubernetes.io/hostname: x}"));

    assert_int_equal(run_plan(run), 3);
}

TEST_F(Run, run, load_exit_2_when_the_input_is_wrong_and_prints_nothing) {
    run_add(
        run, "pod.yaml",
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  nodeSelector: 7\n  containers:\n  - name: c\n");

    assert_int_equal(run_plan(run), 2);

    assert_string_equal(run_out(run), "");
    assert_messages(run, "error: spec.nodeSelector: expected map, got number (pod.yaml:6, Pod default/web)\n");
}

TEST_F(Run, run, load_exit_2_names_the_path_of_a_wrong_type) {
    run_add(run, "pools.yaml",
            "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata:\n  name: default\nspec:\n  template:\n    spec:\n"
            "      nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}\n      requirements:\n"
            "      - key: kubernetes.io/arch\n        operator: 7\n        values: [amd64]\n");

    assert_int_equal(run_plan(run), 2);

    assert_messages(run, "error: spec.template.spec.requirements[0].operator: expected string, got number; "
                         "quote it (pools.yaml:11, NodePool default)\n");
}

TEST(load_exit_2_for_broken_yaml_and_json) {
    static const char *const broken[] = {
        "{", "a: [1, 2", "\"", "kind: Pod\n\tx: 1\n", "&a [*a]", "{\"kind\": \"Pod\",", "\xff\xfe\x00", "- : -"};

    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        Run *run = run_setup();
        const char *messages;

        run_add(run, "broken.yaml", broken[i]);
        if (run_plan(run) != EXIT_BAD_INPUT)
            fail_msg("accepted: %s", broken[i]);
        assert_string_equal(run_out(run), "");
        messages = run_messages(run);
        assert_non_null(strstr(messages, "broken.yaml:"));
        assert_ptr_equal(strchr(messages, '\n'), strrchr(messages, '\n')); // one line
        run_teardown(run);
    }
}

// --- formats

TEST_F(Run, run, load_reads_json) {
    run_add(run, "pool.yaml", POOL("default"));
    run_add(run, "pods.json",
            "{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": [{\"apiVersion\": \"v1\", \"kind\": \"Pod\", "
            "\"metadata\": {\"name\": \"a\"}, \"spec\": {\"containers\": [{\"name\": \"c\"}]}}, {\"apiVersion\": "
            "\"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"b\"}, \"spec\": {\"containers\": [{\"name\": "
            "\"c\"}]}}]}");
    run_options(run)->format = OUTPUT_JSON;

    assert_int_equal(run_plan(run), 0);

    assert_path(run, run_json(run), "nodeClaims 0 pods", "default/a default/b");
}

TEST_F(Run, run, load_reads_what_kubectl_prints_as_a_list) {
    run_add(
        run, "all.yaml",
        POOL("default") "---\napiVersion: v1\nkind: List\nmetadata:\n  resourceVersion: \"\"\nitems:\n- apiVersion: "
                        "v1\n  kind: Pod\n  metadata:\n    name: a\n    namespace: shop\n  spec:\n    containers:\n"
                        "    - name: c\n");
    run_options(run)->format = OUTPUT_JSON;

    assert_int_equal(run_plan(run), 0);

    assert_path(run, run_json(run), "nodeClaims 0 pods", "shop/a");
}

TEST_F(Run, run, load_reads_flow_style_that_looks_like_json) {
    run_add(run, "-", "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: c}]}}");
    run_add(run, "pool.yaml", POOL("default"));

    assert_int_equal(run_plan(run), 0);
}

TEST_F(Run, run, load_of_several_files_is_one_cluster) {
    run_add(run, "pods.yaml", POD("web", "1", ""));
    run_add(run, "pools.yaml", POOL("default"));

    assert_int_equal(run_plan(run), 0);
}

// --- warnings

TEST_F(Run, run, load_warns_of_a_key_given_twice) {
    run_add(run, "pool.yaml", POOL("default"));
    run_add(run, "pod.yaml",
            "apiVersion: v1\nkind: Pod\nmetadata:\n  name: first\n  name: second\nspec:\n  containers:\n  - name: c\n");
    run_options(run)->format = OUTPUT_JSON;

    assert_int_equal(run_plan(run), 0);

    assert_path(run, run_json(run), "nodeClaims 0 pods", "default/second");
    assert_true(strncmp(run_messages(run), "warning: pod.yaml:5:", strlen("warning: pod.yaml:5:")) == 0);
    assert_non_null(strstr(run_messages(run), "\"name\""));
    assert_non_null(strstr(run_messages(run), "line 4"));
}

TEST_F(Run, run, load_strict_refuses_a_key_given_twice) {
    run_options(run)->strict = true;
    run_add(run, "pod.yaml",
            "apiVersion: v1\nkind: Pod\nmetadata:\n  name: first\n  name: second\nspec:\n  containers:\n  - name: c\n");

    assert_int_equal(run_plan(run), 2);

    assert_messages(run, "error: pod.yaml:5: key \"name\" is given again (first at line 4)\n");
}

TEST_F(Run, run, load_names_unknown_kinds_once) {
    run_add(run, "all.yaml",
            POOL("default") OBJECT("apiVersion: v1, kind: ConfigMap, metadata: {name: a}")
                OBJECT("apiVersion: v1, kind: ConfigMap, metadata: {name: b}")
                    OBJECT("apiVersion: v1, kind: Secret, metadata: {name: b}") POD("web", "1", ""));
    const char *at;

    assert_int_equal(run_plan(run), 0);

    at = strstr(run_messages(run), "ConfigMap");
    assert_non_null(at);
    assert_null(strstr(at + 1, "ConfigMap"));
    assert_non_null(strstr(run_messages(run), "Secret"));
}

TEST_F(Run, run, load_ignores_the_template_of_a_cron_job_with_a_note) {
    run_add(run, "all.yaml",
            POOL("default")
                OBJECT("apiVersion: batch/v1, kind: CronJob, metadata: {name: nightly}, spec: {schedule: "
                       "\"0 0 * * *\", jobTemplate: {spec: {template: {spec: {containers: [{name: c}]}}}}}"));

    assert_int_equal(run_plan(run), 0);

    assert_non_null(strstr(run_messages(run), "CronJob"));
    assert_non_null(strstr(run_out(run), "0 new nodes"));
}

TEST_F(Run, run, load_warns_of_a_pool_that_is_not_ready) {
    run_add(run, "pools.yaml",
            OBJECT("apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: broken}, spec: {template: {spec: "
                   "{" CLASS_REF ", requirements: []}}}, status: {conditions: [{type: Ready, status: \"False\", "
                   "reason: NodeClassNotFound, message: NodeClass is missing}]}") POD("web", "1", ""));

    assert_int_equal(run_plan(run), 3);

    assert_messages(run, "warning: pools.yaml:2: ignoring nodepool broken, not ready: condition Ready is False, "
                         "NodeClassNotFound: NodeClass is missing\n");
    assert_non_null(strstr(run_out(run), "no dynamic nodepools found"));
}

TEST_F(Run, run, load_leaves_deleting_pools_out) {
    run_add(run, "pools.yaml",
            OBJECT("apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: old, deletionTimestamp: "
                   "\"2026-01-01T00:00:00Z\"}, spec: {template: {spec: {" CLASS_REF ", requirements: []}}}")
                POD("web", "1", ""));

    assert_int_equal(run_plan(run), 3);

    assert_messages(run, "warning: pools.yaml:2: ignoring nodepool old, not ready: the NodePool is being deleted\n");
}

TEST_F(Run, run, load_leaves_pools_with_restricted_labels_out) {
    run_add(
        run, "pools.yaml",
        POOL_WITH("bad", "", "spec: {" CLASS_REF ", requirements: [{key: example.karpenter.sh/x, operator: Exists}]}")
            POD("web", "1", ""));

    // CEL refuses it in a cluster, so it is an error and no status.
    assert_int_not_equal(run_plan(run), 0);
    assert_non_null(strstr(run_messages(run), "karpenter.sh"));
}

TEST_F(Run, run, load_static_pools_get_no_nodes_for_pods) {
    run_add(run, "all.yaml",
            POOL_WITH("static", "replicas: 3, ", "spec: {" CLASS_REF ", requirements: []}") POD("web", "1", ""));

    assert_int_equal(run_plan(run), 3);
    assert_non_null(strstr(run_out(run), "no dynamic nodepools found"));
}

// --- workloads and bound pods

TEST_F(Run, run, load_expands_workloads) {
    run_add(run, "all.yaml",
            POOL("default") DEPLOYMENT("web", "2", "100m", "")
                OBJECT("apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}, spec: {replicas: 2, serviceName: "
                       "db, selector: {matchLabels: {app: db}}, template: {metadata: {labels: {app: db}}, spec: "
                       "{containers: [{name: c}]}}}")
                    OBJECT("apiVersion: batch/v1, kind: Job, metadata: {name: once}, spec: {parallelism: 2, "
                           "completions: 2, template: {spec: {containers: [{name: c}]}}}"));
    run_options(run)->format = OUTPUT_JSON;

    assert_int_equal(run_plan(run), 0);

    assert_path(run, run_json(run), "stats pods", "6");
}

TEST_F(Run, run, load_bound_pods_load_their_node) {
    run_add(run, "all.yaml",
            POOL("default") OBJECT("apiVersion: v1, kind: Node, metadata: {name: node-1}, status: {allocatable: {cpu: "
                                   "4, memory: 8Gi, pods: 10}}") POD("there", "3500m", ", nodeName: node-1")
                POD("web", "1", ""));
    run_options(run)->format = OUTPUT_JSON;

    assert_int_equal(run_plan(run), 0);

    assert_path(run, run_json(run), "existingNodes", "[]");
    assert_path(run, run_json(run), "stats pods", "1");
}

// --- catalogues and regions

#define EC2_POOL                                                                                                       \
    POOL_WITH(                                                                                                         \
        "default", "",                                                                                                 \
        "spec: {nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}, requirements: [{key: "    \
        "karpenter.sh/capacity-type, operator: In, values: [on-demand]}]}")                                            \
    OBJECT("apiVersion: karpenter.k8s.aws/v1, kind: EC2NodeClass, metadata: {name: default}, spec: {role: r, "         \
           "amiSelectorTerms: [{alias: al2023@latest}], subnetSelectorTerms: [{tags: {a: b}}], "                       \
           "securityGroupSelectorTerms: [{tags: {a: b}}]}")

TEST_F(Run, run, load_uses_ec2_types_for_ec2_node_classes) {
    run_options(run)->catalogue.text.len = 0;
    run_options(run)->format = OUTPUT_JSON;
    run_add(run, "all.yaml", EC2_POOL POD("web", "1", ", nodeSelector: {node.kubernetes.io/instance-type: m5.large}"));

    assert_int_equal(run_plan(run), 0);

    assert_path(run, run_json(run), "nodeClaims 0 instanceTypes", "m5.large");
    assert_path(run, run_json(run), "nodeClaims 0 choice zone", "us-east-1a");
    assert_path(run, run_json(run), "nodeClaims 0 choice pricePerHour", "0.096");
}

TEST_F(Run, run, load_region_flag_decides_zones_and_prices) {
    run_options(run)->catalogue.text.len = 0;
    run_options(run)->format = OUTPUT_JSON;
    run_options(run)->region = SLICE("eu-central-1");
    run_add(run, "all.yaml", EC2_POOL POD("web", "1", ", nodeSelector: {node.kubernetes.io/instance-type: m5.large}"));

    assert_int_equal(run_plan(run), 0);

    assert_path(run, run_json(run), "nodeClaims 0 choice zone", "eu-central-1a");
    assert_path(run, run_json(run), "nodeClaims 0 choice pricePerHour", "0.115");
}

TEST_F(Run, run, load_region_is_read_from_nodes) {
    run_options(run)->catalogue.text.len = 0;
    run_options(run)->format = OUTPUT_JSON;
    run_add(
        run, "all.yaml",
        EC2_POOL OBJECT("apiVersion: v1, kind: Node, metadata: {name: node-1, labels: {topology.kubernetes.io/region: "
                        "eu-west-1}}, status: {allocatable: {cpu: 0}}") POD("web", "1", ""));

    assert_int_equal(run_plan(run), 0);

    assert_non_null(strstr(value_path(run, run_json(run), "nodeClaims 0 choice zone"), "eu-west-1"));
}

TEST_F(Run, run, load_region_that_is_unknown_is_bad_input) {
    run_options(run)->catalogue.text.len = 0;
    run_options(run)->region = SLICE("mars-north-1");
    run_add(run, "all.yaml", EC2_POOL POD("web", "1", ""));

    assert_int_equal(run_plan(run), 2);
    assert_non_null(strstr(run_messages(run), "mars-north-1"));
}

TEST_F(Run, run, load_uses_kwok_types_for_kwok_node_classes) {
    run_options(run)->catalogue.text.len = 0;
    run_options(run)->format = OUTPUT_JSON;
    run_add(run, "all.yaml",
            POOL("default") POD("web", "1",
                                ", nodeSelector: {kubernetes.io/os: linux, "
                                "kubernetes.io/arch: amd64}"));

    assert_int_equal(run_plan(run), 0);

    assert_path(run, run_json(run), "stats instanceTypes", "144");
}

TEST_F(Run, run, load_catalogue_that_is_broken_is_bad_input) {
    run_options(run)->catalogue.text = SLICE("[{\"name\": \"x\"}]");
    run_add(run, "all.yaml", POOL("default") POD("web", "1", ""));

    assert_int_equal(run_plan(run), 2);
    assert_non_null(strstr(run_messages(run), "catalogue.json"));
}

// A label that only some types have keeps pods that ask for it off the others.
TEST_F(Run, run, load_catalogue_label_that_only_one_type_has) {
    static const char offering[] = "[{\"Price\": 1, \"Requirements\": [{\"key\": \"karpenter.sh/capacity-type\", "
                                   "\"operator\": \"In\", \"values\": [\"on-demand\"]}, {\"key\": "
                                   "\"topology.kubernetes.io/zone\", \"operator\": \"In\", \"values\": [\"a\"]}]}]";
    char text[2048];
    snprintf(
        text, sizeof text,
        "[{\"name\": \"plain\", \"architecture\": \"amd64\", \"resources\": {\"cpu\": \"4\", \"memory\": \"8Gi\"}, "
        "\"offerings\": %s}, {\"name\": \"gpu\", \"architecture\": \"amd64\", \"resources\": {\"cpu\": \"4\", "
        "\"memory\": \"8Gi\"}, \"offerings\": %s, \"requirements\": [{\"key\": "
        "\"karpenter.k8s.aws/instance-gpu-name\", \"operator\": \"In\", \"values\": [\"t4\"]}]}]",
        offering, offering);
    run_options(run)->catalogue.text = slice_of(text);
    run_options(run)->format = OUTPUT_JSON;
    run_add(run, "all.yaml",
            POOL("default") POD("web", "1", ", nodeSelector: {karpenter.k8s.aws/instance-gpu-name: t4}"));

    assert_int_equal(run_plan(run), 0);

    assert_path(run, run_json(run), "nodeClaims 0 instanceTypes", "gpu");
}

// A node outside of the reservation does not have its label.
TEST_F(Run, run, load_catalogue_reservation_that_a_pod_selects) {
    run_options(run)->catalogue.text = slice_of(
        "[{\"name\": \"plain\", \"architecture\": \"amd64\", \"resources\": {\"cpu\": \"2\", \"memory\": \"8Gi\"}, "
        "\"offerings\": [{\"Price\": 1, \"Requirements\": [{\"key\": \"karpenter.sh/capacity-type\", \"operator\": "
        "\"In\", \"values\": [\"on-demand\"]}, {\"key\": \"topology.kubernetes.io/zone\", \"operator\": \"In\", "
        "\"values\": [\"a\"]}]}, {\"Price\": 0, \"ReservationCapacity\": 1, \"Requirements\": [{\"key\": "
        "\"karpenter.sh/capacity-type\", \"operator\": \"In\", \"values\": [\"reserved\"]}, {\"key\": "
        "\"topology.kubernetes.io/zone\", \"operator\": \"In\", \"values\": [\"a\"]}, {\"key\": "
        "\"karpenter.k8s.aws/capacity-reservation-id\", \"operator\": \"In\", \"values\": [\"cr-1\"]}]}]}]");
    run_options(run)->format = OUTPUT_JSON;
    run_add(run, "all.yaml",
            POOL("default")
                DEPLOYMENT("web", "2", "1500m", ", nodeSelector: {karpenter.k8s.aws/capacity-reservation-id: cr-1}"));

    assert_int_equal(run_plan(run), 3);

    assert_path(run, run_json(run), "nodeClaims 0 choice capacityType", "reserved");
    assert_path(run, run_json(run), "nodeClaims 1 name", "(none)");
    assert_path(run, run_json(run), "unschedulable 0 pod", "default/web-1");
}

// --- the other flags

TEST_F(Run, run, load_scheduler_config_gives_default_spread) {
    run_options(run)->scheduler_config =
        (InputText){SLICE("config.yaml"), SLICE("podTopologySpread:\n  defaultConstraints:\n  - maxSkew: 1\n    "
                                                "topologyKey: topology.kubernetes.io/zone\n    whenUnsatisfiable: "
                                                "DoNotSchedule\n")};
    run_options(run)->format = OUTPUT_JSON;
    run_add(run, "all.yaml", POOL("default") DEPLOYMENT("web", "4", "100m", ""));

    assert_int_equal(run_plan(run), 0);

    assert_path(run, run_json(run), "nodeClaims 0 choice zone", "a");
    assert_path(run, run_json(run), "nodeClaims 1 choice zone", "b");
}

TEST_F(Run, run, load_scheduler_config_that_is_wrong_is_bad_input) {
    run_options(run)->scheduler_config =
        (InputText){SLICE("config.yaml"), SLICE("podTopologySpread:\n  defaultConstraints:\n  - maxSkew: 0\n    "
                                                "topologyKey: topology.kubernetes.io/zone\n    whenUnsatisfiable: "
                                                "DoNotSchedule\n")};
    run_add(run, "all.yaml", POOL("default") POD("web", "1", ""));

    assert_int_equal(run_plan(run), 2);
    assert_non_null(strstr(run_messages(run), "config.yaml"));
    assert_non_null(strstr(run_messages(run), "maxSkew"));
}

TEST_F(Run, run, load_preference_policy_reaches_the_planner) {
    run_add(run, "all.yaml",
            POOL("default") DEPLOYMENT("web", "2", "100m",
                                       ", topologySpreadConstraints: [{topologyKey: topology.kubernetes.io/zone, "
                                       "maxSkew: 1, whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: "
                                       "{app: web}}}]"));
    run_plan(run);
    assert_non_null(strstr(run_out(run), "Total: 2 new nodes"));

    run_options(run)->preferences = PREFERENCES_IGNORE;
    run_plan(run);
    assert_non_null(strstr(run_out(run), "Total: 1 new node "));

    run_options(run)->preferences = PREFERENCES_WEIGH; // two nodes would be twice as dear
    run_plan(run);
    assert_non_null(strstr(run_out(run), "Total: 1 new node "));
}
