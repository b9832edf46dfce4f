// Objects of 2023 in the input of `tenon plan`: planned as they are. Reference legacy.md 2 to 4.
#include "cli/support/run.h"
#include "harness/test.h"

#include <stdio.h>

#define SELECTOR "subnetSelector: {a: b}, securityGroupSelector: {a: b}, instanceProfile: p"
#define TEMPLATE(name, more)                                                                                           \
    OBJECT("apiVersion: karpenter.k8s.aws/v1alpha1, kind: AWSNodeTemplate, metadata: {name: " name ", uid: t-" name    \
           "}, spec: {" SELECTOR more "}")
#define PROVISIONER(name, spec)                                                                                        \
    OBJECT("apiVersion: karpenter.sh/v1alpha5, kind: Provisioner, metadata: {name: " name ", uid: p-" name             \
           "}, spec: {" spec "}")
#define OF_TEMPLATE(name, spec) PROVISIONER(name, "providerRef: {name: t}" spec)
#define TYPE(type)              ", requirements: [{key: node.kubernetes.io/instance-type, operator: In, values: [" type "]}]"

static const Value *plan_json(Run *run, int status) {
    run_options(run)->catalogue.text.len = 0;
    run_options(run)->region = SLICE("ap-northeast-2");
    run_options(run)->format = OUTPUT_JSON;
    assert_int_equal(run_plan(run), status);
    return run_json(run);
}

// R031, R032, R117, R161: a Provisioner with its AWSNodeTemplate gets nodes.
TEST_F(Run, run, row_r117_provisioners_are_planned) {
    run_add(run, "a.yaml", OF_TEMPLATE("default", TYPE("m5.large")) TEMPLATE("t", "") POD("web", "1", ""));

    assert_path(run, plan_json(run, 0), "nodeClaims 0 nodePool", "provisioner/default");
}

// R131, R132, R135, R143 to R145: seed 001 as it is, with its inline provider.
TEST_F(Run, run, row_r131_seed_001_is_planned_as_it_is) {
    const Value *plan;

    run_add_file(run, "tests/seeds/001-provisioner.yaml");
    run_add(run, "pod.yaml", POD("web", "500m", ""));
    plan = plan_json(run, 0);

    assert_path(run, plan, "nodeClaims 0 instanceTypes", "t4g.medium");
    assert_path(run, plan, "nodeClaims 0 choice capacityType", "on-demand");
}

// Identity is kind and name: pods choose by the label of each.
TEST_F(Run, run, old_provisioner_and_nodepool_of_one_name_are_two_pools) {
    const Value *plan;

    run_add(run, "a.yaml",
            OF_TEMPLATE("default", TYPE("m5.large")) TEMPLATE("t", "") POOL("default")
                POD("old", "1", ", nodeSelector: {karpenter.sh/provisioner-name: default}")
                    POD("new", "1", ", nodeSelector: {karpenter.sh/nodepool: default}"));
    plan = plan_json(run, 0);

    assert_path(run, plan, "nodeClaims 0 nodePool", "default");
    assert_path(run, plan, "nodeClaims 1 nodePool", "provisioner/default");
    assert_path(run, plan, "nodeClaims 2 name", "(none)");
}

// R033: the kubelet's settings are the Provisioner's own; two that share a template differ.
TEST_F(Run, run, row_r033_each_provisioner_has_its_own_kubelet) {
    const Value *plan;

    run_add(run, "a.yaml",
            OF_TEMPLATE("full", TYPE("m5.large") ", kubeletConfiguration: {maxPods: 1}, weight: 2")
                OF_TEMPLATE("other", TYPE("m5.large")) TEMPLATE("t", "") DEPLOYMENT("web", "2", "100m", ""));
    plan = plan_json(run, 0);

    assert_path(run, plan, "nodeClaims 0 nodePool", "provisioner/full");
    assert_path(run, plan, "nodeClaims 1 nodePool", "provisioner/full");
}

// R040, R041, R042: the two lists of requirements of seed 002 in one, as its user meant them. Of all types of EC2 no
// Xen, no old generation and no other category is left, and t, which the defaults lack, is.
static void add_seed_002_merged(Run *run, char *text, size_t size) {
    static const char again[] = "    values: [\"nitro\"]\n  requirements:\n";
    FILE *file = fopen(TENON_SOURCE_DIR "/tests/seeds/002-provisioner.yaml", "rb");
    char *second;

    assert_non_null(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
    second = strstr(text, again);
    assert_non_null(second);
    second += strlen("    values: [\"nitro\"]\n");
    memset(second, ' ', strlen("  requirements:"));
    run_add(run, "002-provisioner.yaml", text);
    run_add_file(run, "tests/seeds/002-awsnodetemplate.yaml");
}

TEST_F(Run, run, row_r042_seed_002_with_its_lists_merged_takes_late_nitro_types_only) {
    static char text[8192];
    const Value *types;
    uint32_t small = 0;

    add_seed_002_merged(run, text, sizeof text);
    run_add(run, "pod.yaml", POD("web", "1475m", ""));
    types = value_at(value_get_text(plan_json(run, 0), "nodeClaims")->list.items, "instanceTypes", NULL);
    assert_true(types->list.count > 20);
    for (vec_each(const Value, type, &types->list)) {
        const char *name = value_path(run, type, "");

        if (!strchr("cmrt", name[0]) || strncmp(name, "m4.", 3) == 0 || strncmp(name, "c4.", 3) == 0 ||
            strncmp(name, "t3", 2) == 0)
            fail_msg("%s", name);
        small += strncmp(name, "t4g.", 4) == 0;
    }
    assert_true(small > 0);
}

// R089: nodes of Karpenter until 0.26 have the label karpenter.sh/machine-name without a value: it says nothing.
TEST_F(Run, run, row_r089_an_empty_machine_name_is_no_obstacle) {
    const Value *plan;

    run_add(run, "a.yaml",
            OF_TEMPLATE("default", TYPE("m5.large")) TEMPLATE("t", "") OBJECT(
                "apiVersion: v1, kind: Node, metadata: {name: n1, labels: {karpenter.sh/provisioner-name: "
                "default, karpenter.sh/machine-name: '', karpenter.sh/initialized: 'true', "
                "node.kubernetes.io/instance-type: m5.large, kubernetes.io/hostname: n1}}, spec: {providerID: "
                "aws:///a/i-1}, status: {conditions: [{type: Ready, status: 'True'}], capacity: {cpu: 2, "
                "memory: 8Gi, pods: 29}, allocatable: {cpu: 1930m, memory: 7Gi, pods: 29}}") POD("web", "1", ""));
    plan = plan_json(run, 0);
    assert_path(run, plan, "nodeClaims 0 name", "(none)");
    assert_path(run, plan, "existingNodes 0 name", "n1");
}

// R092, R095, R096: seed 002's pod with a security group, in a catalogue whose c7i have no branch interfaces. The
// causes and requirements are those of the seed's log, custom keys among them and sorted; the sentence around them is
// today's.
#define OFFERING(zone)                                                                                                 \
    "{\"Price\": 0.4, \"Requirements\": [{\"key\": \"karpenter.sh/capacity-type\", \"operator\": \"In\", \"values\": " \
    "[\"on-demand\"]}, {\"key\": \"topology.kubernetes.io/zone\", \"operator\": \"In\", \"values\": [\"" zone "\"]}]}"
#define CATALOGUE_TYPE(name, more)                                                                                     \
    "{\"name\": \"" name                                                                                               \
    "\", \"architecture\": \"amd64\", \"operatingSystems\": [\"linux\"], \"resources\": {\"cpu\": "                    \
    "\"7910m\", \"memory\": \"14162Mi\", \"pods\": \"58\"" more "}, \"overhead\": {}, \"requirements\": [], "          \
    "\"offerings\": [" OFFERING("ap-northeast-2a") ", " OFFERING("ap-northeast-2c") "]}"

TEST_F(Run, run, row_r092_a_type_without_branch_interfaces_is_named_as_the_seed_has_it) {
    static const char catalogue[] = "[" CATALOGUE_TYPE("c7i.2xlarge", "") ", " CATALOGUE_TYPE(
        "c7i.4xlarge", "") ", " CATALOGUE_TYPE("m5.2xlarge", ", \"vpc.amazonaws.com/pod-eni\": \"38\"") "]";
    const char *message;

    run_add(run, "a.yaml",
            POOL_WITH("test-nodepool", "",
                      "metadata: {labels: {nodepool: test-nodepool}}, spec: {" CLASS_REF
                      ", requirements: [{key: node.kubernetes.io/instance-type, operator: In, values: [c7i.2xlarge, "
                      "c7i.4xlarge]}, {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}, {key: "
                      "kubernetes.io/arch, operator: In, values: [amd64]}, {key: topology.kubernetes.io/zone, "
                      "operator: In, values: [ap-northeast-2a, ap-northeast-2c]}, {key: nodepool/test-nodepool, "
                      "operator: Exists}]}") POD("nginx", "3, vpc.amazonaws.com/pod-eni: 1", ""));
    run_options(run)->catalogue.text = SLICE(catalogue);
    run_options(run)->format = OUTPUT_JSON;
    assert_int_equal(run_plan(run), 3);
    message = value_path(run, run_json(run), "unschedulable 0 message");
    assert_non_null(strstr(message, "no instance type which had enough resources and the required offering met the "
                                    "scheduling requirements"));
    assert_non_null(strstr(message, "kubernetes.io/arch In [amd64], node.kubernetes.io/instance-type In [c7i.2xlarge "
                                    "c7i.4xlarge], nodepool In [test-nodepool], nodepool/test-nodepool Exists, "
                                    "topology.kubernetes.io/zone In [ap-northeast-2a ap-northeast-2c]"));
    assert_non_null(strstr(message, "\"vpc.amazonaws.com/pod-eni\":\"1\"}"));
}

// R037: the higher weight is tried first.
TEST_F(Run, run, row_r037_the_weight_picks_the_provisioner) {
    run_add(run, "a.yaml",
            OF_TEMPLATE("light", TYPE("m5.large")) OF_TEMPLATE("heavy", TYPE("m5.large") ", weight: 50")
                TEMPLATE("t", "") POD("web", "1", ""));

    assert_path(run, plan_json(run, 0), "nodeClaims 0 nodePool", "provisioner/heavy");
}

// R048, R136: what the Machines and Nodes of a Provisioner have counts against its limits.
TEST_F(Run, run, row_r136_limits_count_the_nodes_of_the_provisioner) {
    run_add(run, "a.yaml",
            OF_TEMPLATE("default", TYPE("m5.large") ", limits: {resources: {cpu: 3}}") TEMPLATE("t", "")
                OBJECT("apiVersion: v1, kind: Node, metadata: {name: n1, labels: {karpenter.sh/provisioner-name: "
                       "default, node.kubernetes.io/instance-type: m5.large}}, spec: {providerID: aws:///a/i-1}, "
                       "status: {capacity: {cpu: 2, memory: 8Gi, pods: 29}, allocatable: {cpu: 10m, memory: 1Gi, "
                       "pods: 29}}") POD("web", "1", ""));

    assert_path(run, plan_json(run, 3), "nodeClaims 0 nodePool", "(none)");
}

// R054: new nodes are printed as the Machines that they will be.
TEST_F(Run, run, row_r054_new_nodes_are_machines_owned_by_the_provisioner) {
    DocumentVec documents;

    run_add(run, "a.yaml", OF_TEMPLATE("default", TYPE("m5.large")) TEMPLATE("t", "") POD("web", "1", ""));
    run_options(run)->catalogue.text.len = 0;
    run_options(run)->region = SLICE("ap-northeast-2");
    run_options(run)->format = OUTPUT_YAML;
    assert_int_equal(run_plan(run), 0);
    documents = run_yaml(run);

    assert_path(run, &documents.items[0].root, "kind", "Machine");
    assert_path(run, &documents.items[0].root, "metadata generateName", "default-");
    assert_path(run, &documents.items[0].root, "metadata ownerReferences 0 kind", "Provisioner");
    assert_path(run, &documents.items[0].root, "metadata ownerReferences 0 name", "default");
}

// R013: a pod that keeps off Karpenter's nodes, in the old spelling and in the new, gets the old answer, and no advice.
#define AWAY(key)                                                                                                      \
    POD("web", "1",                                                                                                    \
        ", affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "             \
        "[{matchExpressions: [{key: " key ", operator: DoesNotExist}]}, {matchExpressions: [{key: "                    \
        "eks.amazonaws.com/nodegroup, operator: In, values: [ng-v1]}]}]}}}")

static void assert_ignored(Run *run, const char *pod, const char *text) {
    run_add(run, "pod.yaml", pod);
    run_add(run, "a.yaml", OF_TEMPLATE("default", TYPE("m5.large")) TEMPLATE("t", "") POOL("default"));
    plan_json(run, 3);
    if (!strstr(run_out(run), text))
        fail_msg("%s", run_out(run));
}

TEST_F(Run, run, row_r013_pods_that_keep_off_provisioners_are_ignored) {
    assert_ignored(run, AWAY("karpenter.sh/provisioner-name"),
                   "ignoring pod, configured to not run on a Karpenter provisioned node via "
                   "karpenter.sh/provisioner-name DoesNotExist requirement");
}

TEST_F(Run, run, row_r013_pods_that_keep_off_nodepools_are_ignored) {
    assert_ignored(run, AWAY("karpenter.sh/nodepool"),
                   "ignoring pod, configured to not run on a Karpenter provisioned node "
                   "(requirement=karpenter.sh/nodepool DoesNotExist)");
}

// R035: a taint that is not tolerated closes a Provisioner, and the answer names both, as v0.31 did.
TEST_F(Run, run, row_r035_a_taint_that_is_not_tolerated_is_named) {
    run_add(run, "a.yaml",
            OF_TEMPLATE("default", TYPE("m5.large") ", taints: [{key: gpu, value: 'true', effect: NoSchedule}]")
                TEMPLATE("t", "") POD("web", "1", ""));

    assert_path(
        run, plan_json(run, 3), "unschedulable 0 message",
        "incompatible with provisioner \"default\", daemonset overhead={}, did not tolerate gpu=true:NoSchedule");
}

// Reference legacy.md 5.6: of two Provisioners each says its own.
TEST_F(Run, run, row_r092_all_types_are_too_small_or_too_much_in_the_words_of_2023) {
    run_add(
        run, "a.yaml",
        OF_TEMPLATE("small", TYPE("m5.large")) TEMPLATE("t", "")
            OF_TEMPLATE("full", TYPE("m5.2xlarge") ", limits: {resources: {cpu: 1}}") OBJECT(
                "apiVersion: apps/v1, kind: DaemonSet, metadata: {name: d}, spec: {selector: {matchLabels: {a: d}}, "
                "template: {metadata: {labels: {a: d}}, spec: {containers: [{name: c, image: i, resources: "
                "{requests: {cpu: 100m}}}]}}}") POD("web", "3", ""));

    assert_path(run, plan_json(run, 3), "unschedulable 0 message",
                "incompatible with provisioner \"small\", daemonset overhead={\"cpu\":\"100m\",\"pods\":\"1\"}, no "
                "instance type satisfied resources {\"cpu\":\"3100m\",\"pods\":\"2\"} and requirements "
                "karpenter.sh/capacity-type In [on-demand], karpenter.sh/provisioner-name In [small], "
                "kubernetes.io/arch In [amd64], kubernetes.io/os In [linux], node.kubernetes.io/instance-type In "
                "[m5.large] (no instance type which had enough resources and the required offering met the "
                "scheduling requirements); all available instance types exceed limits for provisioner: \"full\"");
}

// What a webhook would have refused gets no nodes, and says why.
TEST_F(Run, run, old_provisioner_that_its_webhook_refused_gets_no_nodes) {
    run_add(run, "a.yaml",
            OF_TEMPLATE("default", ", ttlSecondsAfterEmpty: 30, consolidation: {enabled: true}") TEMPLATE("t", "")
                POD("web", "1", ""));
    plan_json(run, 3);

    if (!strstr(run_messages(run), "expected exactly one, got both: spec.consolidation.enabled, "
                                   "spec.ttlSecondsAfterEmpty"))
        fail_msg("%s", run_messages(run));
}

// R139: a setting in the wrong place is ignored, and said.
TEST_F(Run, run, row_r139_misplaced_fields_are_ignored_with_a_warning) {
    run_add(run, "a.yaml",
            OF_TEMPLATE("default", TYPE("m5.large") ", consolidation: {ttlSecondsUntilExpired: 9}") TEMPLATE("t", "")
                POD("web", "1", ""));
    plan_json(run, 0);

    if (!strstr(run_messages(run), "W02 Provisioner default: spec.consolidation.ttlSecondsUntilExpired is no field of "
                                   "it and is ignored; did you mean spec.ttlSecondsUntilExpired?"))
        fail_msg("%s", run_messages(run));
}

// R181: objects of v1beta1 are planned as the converter writes them, also out of a List.
TEST_F(Run, run, old_v1beta1_objects_are_planned) {
    run_add(run, "a.yaml",
            OBJECT("apiVersion: v1, kind: List, items: [{apiVersion: karpenter.sh/v1beta1, kind: NodePool, metadata: "
                   "{name: beta}, spec: {template: {spec: {nodeClassRef: {name: c}, requirements: [{key: "
                   "node.kubernetes.io/instance-type, operator: In, values: [m5.large]}]}}}}, {apiVersion: "
                   "karpenter.k8s.aws/v1beta1, kind: EC2NodeClass, metadata: {name: c}, spec: {amiFamily: AL2, role: "
                   "r, subnetSelectorTerms: [{id: subnet-1}], securityGroupSelectorTerms: [{id: sg-1}]}}]")
                POD("web", "1", ""));

    assert_path(run, plan_json(run, 0), "nodeClaims 0 nodePool", "beta");
}

#define MANY DEPLOYMENT("tiny", "40", "1m", "")
#define SETTINGS(data)                                                                                                 \
    OBJECT(                                                                                                            \
        "apiVersion: v1, kind: ConfigMap, metadata: {name: karpenter-global-settings, namespace: karpenter}, data: "   \
        "{" data "}")

// R154: without network interfaces as a limit an m5.large has 110 pods instead of 29.
TEST_F(Run, run, row_r154_settings_decide_how_many_pods_a_node_has) {
    const Value *plan;

    run_add(run, "a.yaml",
            OF_TEMPLATE("default", TYPE("m5.large")) TEMPLATE("t", "")
                MANY SETTINGS("aws.enableENILimitedPodDensity: 'false'"));
    plan = plan_json(run, 0);

    assert_path(run, plan, "nodeClaims 0 nodePool", "provisioner/default");
    assert_path(run, plan, "nodeClaims 1 nodePool", "(none)");
}

TEST_F(Run, run, row_r154_a_setting_that_cannot_be_read_is_named_and_ignored) {
    const Value *plan;

    run_add(run, "a.yaml",
            OF_TEMPLATE("default", TYPE("m5.large")) TEMPLATE("t", "")
                MANY SETTINGS("aws.enableENILimitedPodDensity: maybe"));
    plan = plan_json(run, 0);

    assert_path(run, plan, "nodeClaims 1 nodePool", "provisioner/default");
    assert_non_null(strstr(run_messages(run),
                           "ConfigMap karpenter-global-settings: data.aws.enableENILimitedPodDensity: "
                           "expected true or false, got \"maybe\"; it is ignored"));
}
