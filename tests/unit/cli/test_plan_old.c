// Objects of 2023 in the input of `tenon plan`: planned as they are. Reference legacy.md 2 to 4.
#include "cli/support/run.h"
#include "harness/test.h"

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

// Objects of v1beta1 are planned as the converter writes them, also out of a List.
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
