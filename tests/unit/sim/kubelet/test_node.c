// Nodes of instances: from running to ready, and their removal.
#include "sim/workload_bed.h"
#include "sim/workloads/build.h"

// A NodeClaim "claim-0" with a label, a taint and a startup taint, as the kubelet gets it from the launch.
static void node_claim(Bed *bed) {
    cluster_create(bed->world,
                   "{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: claim-0, labels: "
                   "{karpenter.sh/nodepool: general, team: a}}, spec: {nodeClassRef: {group: karpenter.k8s.aws, kind: "
                   "EC2NodeClass, name: default}, requirements: [], taints: [{key: dedicated, value: x, effect: "
                   "NoSchedule}], startupTaints: [{key: cni, effect: NoExecute}]}}");
    world_settle(bed->world);
}

static void give_capacity(Bed *bed, SimInstance *instance, const char *resource, int64_t amount) {
    resources_set(&bed->arena, &instance->capacity, bed_symbol(bed, resource), amount);
    resources_set(&bed->arena, &instance->allocatable, bed_symbol(bed, resource), amount);
}

static SimInstance run_one(Bed *bed, const char *claim) {
    SimInstance instance = bed_instance(bed, claim);

    give_capacity(bed, &instance, "cpu", 2000);
    give_capacity(bed, &instance, "pods", 29);
    bed_change(bed, &instance, SIM_INSTANCE_RUNNING);
    return instance;
}

static Slice label_of(Bed *bed, const char *node, const char *key) {
    return kube_text(bed_at(bed_get(bed, KUBE_NODE, node), "metadata.labels"), key, NULL);
}

static uint32_t taints_of(Bed *bed, const char *node) {
    return bed_at(bed_get(bed, KUBE_NODE, node), "spec.taints")->list.count;
}

// --- tests

TEST(an_instance_that_boots_is_no_node_yet) {
    Bed *bed = bed_new();
    SimInstance instance = bed_instance(bed, NULL);

    bed_change(bed, &instance, SIM_INSTANCE_PENDING);
    bed_run_s(bed, 60);
    assert_null(bed_get(bed, KUBE_NODE, "m-0"));
    bed_change(bed, &instance, SIM_INSTANCE_RUNNING);
    bed_run_s(bed, 9);
    assert_null(bed_get(bed, KUBE_NODE, "m-0"));
    bed_run_s(bed, 1);
    assert_non_null(bed_get(bed, KUBE_NODE, "m-0"));
    assert_text(bed_text(bed, KUBE_NODE, "m-0", "spec.providerID"), "aws:///us-east-1a/i-0");
    assert_int_equal(sim_kubelets_counts(bed->kubelets).nodes_joined, 1);
    bed_free(bed);
}

TEST(a_node_joins_with_the_labels_of_its_claim_and_its_instance) {
    Bed *bed = bed_new();

    node_claim(bed);
    run_one(bed, "claim-0");
    bed_run_s(bed, 10);
    assert_text(label_of(bed, "m-0", "team"), "a");
    assert_text(label_of(bed, "m-0", "karpenter.sh/nodepool"), "general");
    assert_text(label_of(bed, "m-0", "kubernetes.io/hostname"), "m-0");
    assert_text(label_of(bed, "m-0", "kubernetes.io/arch"), "arm64");
    assert_text(label_of(bed, "m-0", "node.kubernetes.io/instance-type"), "m5.large");
    assert_text(label_of(bed, "m-0", "topology.kubernetes.io/zone"), "us-east-1a");
    assert_text(bed_text(bed, KUBE_NODE, "m-0", "status.nodeInfo.architecture"), "arm64");
    assert_text(bed_text(bed, KUBE_NODE, "m-0", "status.allocatable.cpu"), "2");
    bed_free(bed);
}

TEST(a_node_joins_with_the_taints_that_karpenter_expects) {
    Bed *bed = bed_new();

    node_claim(bed);
    run_one(bed, "claim-0");
    bed_run_s(bed, 10);
    assert_true(bed_has_taint(bed, "m-0", "dedicated=x:NoSchedule"));
    assert_true(bed_has_taint(bed, "m-0", "cni=:NoExecute"));
    assert_true(bed_has_taint(bed, "m-0", "karpenter.sh/unregistered=:NoExecute"));
    assert_true(bed_has_taint(bed, "m-0", "node.cloudprovider.kubernetes.io/uninitialized=true:NoSchedule"));
    assert_true(bed_has_taint(bed, "m-0", "node.kubernetes.io/not-ready=:NoSchedule"));
    assert_true(bed_has_taint(bed, "m-0", "node.kubernetes.io/not-ready=:NoExecute"));
    bed_free(bed);
}

TEST(what_the_claim_says_later_does_not_reach_the_user_data) {
    Bed *bed = bed_new();

    node_claim(bed);
    run_one(bed, "claim-0");
    cluster_patch(bed->world, KUBE_NODE_CLAIM, "", "claim-0", KUBE_OBJECT, "{metadata: {labels: {team: b}}}");
    bed_run_s(bed, 10);
    assert_text(label_of(bed, "m-0", "team"), "a");
    bed_free(bed);
}

TEST(the_cloud_controller_takes_its_taint_away) {
    Bed *bed = bed_new();

    node_claim(bed);
    run_one(bed, "claim-0");
    bed_run_s(bed, 11);
    assert_false(bed_has_taint(bed, "m-0", "node.cloudprovider.kubernetes.io/uninitialized=true:NoSchedule"));
    assert_true(bed_has_taint(bed, "m-0", "karpenter.sh/unregistered=:NoExecute")); // Karpenter removes it
    bed_free(bed);
}

TEST(a_ready_node_loses_its_not_ready_taints) {
    Bed *bed = bed_new();

    node_claim(bed);
    run_one(bed, "claim-0");
    bed_run_s(bed, 14);
    assert_text(bed_condition(bed, KUBE_NODE, "m-0", "Ready"), "False");
    bed_run_s(bed, 1);
    assert_text(bed_condition(bed, KUBE_NODE, "m-0", "Ready"), "True");
    assert_false(bed_has_taint(bed, "m-0", "node.kubernetes.io/not-ready=:NoSchedule"));
    assert_false(bed_has_taint(bed, "m-0", "node.kubernetes.io/not-ready=:NoExecute"));
    assert_int_equal(taints_of(bed, "m-0"), 3); // dedicated, cni, unregistered
    bed_free(bed);
}

TEST(a_kwok_node_is_known_to_no_cloud_controller) {
    Bed *bed = bed_new();
    SimInstance instance = bed_instance(bed, "claim-0");

    node_claim(bed);
    instance.is_kwok = true;
    bed_change(bed, &instance, SIM_INSTANCE_RUNNING);
    bed_run_s(bed, 10);
    assert_false(bed_has_taint(bed, "m-0", "node.cloudprovider.kubernetes.io/uninitialized=true:NoSchedule"));
    assert_true(bed_has_taint(bed, "m-0", "karpenter.sh/unregistered=:NoExecute"));
    bed_free(bed);
}

TEST(devices_come_late) {
    Bed *bed = bed_new();
    SimInstance instance = bed_instance(bed, NULL);
    const Value *amount;

    give_capacity(bed, &instance, "cpu", 2000);
    give_capacity(bed, &instance, "nvidia.com/gpu", 4);
    bed_change(bed, &instance, SIM_INSTANCE_RUNNING);
    bed_run_s(bed, 15 + 19); // ready for 19 s
    assert_text(bed_condition(bed, KUBE_NODE, "m-0", "Ready"), "True");
    amount = value_at(bed_get(bed, KUBE_NODE, "m-0"), "status", "allocatable", "nvidia.com/gpu", NULL);
    assert_text(amount->text, "0");
    bed_run_s(bed, 1);
    amount = value_at(bed_get(bed, KUBE_NODE, "m-0"), "status", "allocatable", "nvidia.com/gpu", NULL);
    assert_text(amount->text, "4");
    assert_text(bed_text(bed, KUBE_NODE, "m-0", "status.allocatable.cpu"), "2");
    bed_free(bed);
}

TEST(the_csi_driver_registers_after_the_node_is_ready_and_goes_with_it) {
    Bed *bed = bed_new();
    const Value *driver;

    run_one(bed, NULL);
    bed_run_s(bed, 17);
    assert_null(bed_get(bed, KUBE_CSI_NODE, "m-0"));
    bed_run_s(bed, 1);
    driver = &bed_at(bed_get(bed, KUBE_CSI_NODE, "m-0"), "spec.drivers")->list.items[0];
    assert_text(kube_text(driver, "name", NULL), "ebs.csi.aws.com");
    assert_int_equal(read_int(value_get_text(driver, "allocatable"), "count", 0), 25);
    cluster_delete(bed->world, KUBE_NODE, "", "m-0");
    bed_run_s(bed, 1);
    assert_null(bed_get(bed, KUBE_CSI_NODE, "m-0"));
    bed_free(bed);
}

TEST(an_instance_that_never_joins_is_never_a_node) {
    Bed *bed = bed_new();
    SimInstance instance = bed_instance(bed, NULL);

    instance.will_join = false;
    bed_change(bed, &instance, SIM_INSTANCE_RUNNING);
    bed_run_s(bed, 3600);
    assert_null(bed_get(bed, KUBE_NODE, "m-0"));
    bed_free(bed);
}

TEST(the_next_so_many_nodes_never_become_ready) {
    Bed *bed = bed_new();

    sim_kubelets_never_ready(bed->kubelets, 2);
    for (int i = 0; i < 3; i++)
        run_one(bed, NULL);
    bed_run_s(bed, 600);
    assert_text(bed_condition(bed, KUBE_NODE, "m-0", "Ready"), "False");
    assert_text(bed_condition(bed, KUBE_NODE, "m-1", "Ready"), "False");
    assert_text(bed_condition(bed, KUBE_NODE, "m-2", "Ready"), "True");
    assert_true(bed_has_taint(bed, "m-0", "node.kubernetes.io/not-ready=:NoExecute"));
    assert_true(sim_kubelet_stop(bed->kubelets, SLICE("m-0"))); // not even when it was away meanwhile
    assert_true(sim_kubelet_start(bed->kubelets, SLICE("m-0")));
    sim_kubelets_never_ready(bed->kubelets, UINT32_MAX);
    run_one(bed, NULL);
    run_one(bed, NULL);
    bed_run_s(bed, 600);
    sim_kubelets_never_ready(bed->kubelets, 0);
    run_one(bed, NULL);
    bed_run_s(bed, 600);
    assert_text(bed_condition(bed, KUBE_NODE, "m-0", "Ready"), "False");
    assert_text(bed_condition(bed, KUBE_NODE, "m-3", "Ready"), "False");
    assert_text(bed_condition(bed, KUBE_NODE, "m-4", "Ready"), "False");
    assert_text(bed_condition(bed, KUBE_NODE, "m-5", "Ready"), "True");
    bed_free(bed);
}

TEST(a_cordon_is_shown_as_a_taint_and_taken_back) {
    Bed *bed = bed_new();

    bed_node(bed, "n0");
    cluster_patch(bed->world, KUBE_NODE, "", "n0", KUBE_OBJECT, "{spec: {unschedulable: true}}");
    world_settle(bed->world);
    assert_true(bed_has_taint(bed, "n0", "node.kubernetes.io/unschedulable=:NoSchedule"));
    cluster_patch(bed->world, KUBE_NODE, "", "n0", KUBE_OBJECT, "{spec: {unschedulable: null}}");
    world_settle(bed->world);
    assert_false(bed_has_taint(bed, "n0", "node.kubernetes.io/unschedulable=:NoSchedule"));
    bed_free(bed);
}

TEST(a_name_that_is_taken_is_tried_again) {
    Bed *bed = bed_new();

    cluster_create(bed->world, "{apiVersion: v1, kind: Node, metadata: {name: m-0}}");
    run_one(bed, NULL);
    bed_run_s(bed, 30);
    assert_text(bed_text(bed, KUBE_NODE, "m-0", "spec.providerID"), "");
    cluster_delete(bed->world, KUBE_NODE, "", "m-0");
    bed_run_s(bed, 30);
    assert_text(bed_text(bed, KUBE_NODE, "m-0", "spec.providerID"), "aws:///us-east-1a/i-0");
    bed_free(bed);
}

TEST(a_node_whose_instance_is_gone_is_removed_when_it_is_not_ready_any_more) {
    Bed *bed = bed_new();
    SimInstance instance = run_one(bed, NULL);

    bed_run_s(bed, 60);
    bed_change(bed, &instance, SIM_INSTANCE_TERMINATED);
    bed_run_s(bed, 39);
    assert_text(bed_condition(bed, KUBE_NODE, "m-0", "Ready"), "True");
    bed_run_s(bed, 1);
    assert_text(bed_condition(bed, KUBE_NODE, "m-0", "Ready"), "Unknown");
    bed_run_s(bed, 5);
    assert_null(bed_get(bed, KUBE_NODE, "m-0"));
    assert_int_equal(sim_kubelets_counts(bed->kubelets).nodes_removed, 1);
    bed_free(bed);
}

TEST(dead_nodes_stay_when_there_is_no_cloud_controller) {
    Bed *bed = bed_new_with(1, (SimKubeletConfig){.keeps_dead_nodes = true});
    SimInstance instance = run_one(bed, NULL);

    bed_run_s(bed, 60);
    bed_change(bed, &instance, SIM_INSTANCE_TERMINATED);
    bed_run_s(bed, 600);
    assert_text(bed_condition(bed, KUBE_NODE, "m-0", "Ready"), "Unknown");
    bed_free(bed);
}

TEST(an_instance_that_is_gone_before_it_joined_leaves_nothing) {
    Bed *bed = bed_new();
    SimInstance instance = run_one(bed, NULL);

    bed_run_s(bed, 5);
    bed_change(bed, &instance, SIM_INSTANCE_SHUTTING_DOWN);
    bed_change(bed, &instance, SIM_INSTANCE_TERMINATED);
    bed_run_s(bed, 600);
    assert_null(bed_get(bed, KUBE_NODE, "m-0"));
    assert_int_equal(sim_kubelets_counts(bed->kubelets).nodes_lost, 0);
    bed_free(bed);
}
