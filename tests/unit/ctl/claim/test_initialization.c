// nodeclaim.lifecycle, initialization: each gate of reference lifecycle.md 2.5.
#include "ctl/support/claim_stage.h"

static const char *initialized(Stage *stage) {
    return stage_condition(stage, KUBE_NODE_CLAIM, "a", "Initialized");
}

// --- gates, in their order

TEST(nothing_is_said_before_the_registration) {
    Stage *stage = claim_stage_launched("");

    assert_string_equal(initialized(stage), "Unknown/AwaitingReconciliation: object is awaiting reconciliation");
    stage_free(stage);
}

TEST(node_not_found) {
    Stage *stage = claim_stage_registered("");

    stage_remove(stage, KUBE_NODE, "node-a");
    stage_run(stage, "1s");
    assert_string_equal(initialized(stage), "Unknown/NodeNotFound: Node not registered with cluster");
    stage_free(stage);
}

TEST(node_not_ready) {
    Stage *stage = claim_stage_registered("");

    assert_string_equal(initialized(stage), "Unknown/NodeNotReady: Node status is NotReady");
    stage_free(stage);
}

TEST(startup_taints_exist) {
    Stage *stage = claim_stage_registered("startupTaints: [{key: cilium, value: boot, effect: NoExecute}]");

    put_node_ready(stage);
    stage_run(stage, "1s");
    assert_string_equal(initialized(stage),
                        "Unknown/StartupTaintsExist: StartupTaint \"cilium=boot:NoExecute\" still exists");
    stage_put(stage, "{kind: Node, metadata: {name: node-a}, spec: {taints: null}}");
    stage_run(stage, "1s");
    assert_string_equal(initialized(stage), "True/Initialized");
    stage_free(stage);
}

TEST(known_ephemeral_taints_exist) {
    static const char *const taints[][2] = {
        {"{key: node.kubernetes.io/not-ready, effect: NoSchedule}", "node.kubernetes.io/not-ready:NoSchedule"},
        {"{key: node.kubernetes.io/not-ready, effect: NoExecute}", "node.kubernetes.io/not-ready:NoExecute"},
        {"{key: node.kubernetes.io/unreachable, effect: NoSchedule}", "node.kubernetes.io/unreachable:NoSchedule"},
        {"{key: node.cloudprovider.kubernetes.io/uninitialized, value: 'true', effect: NoSchedule}",
         "node.cloudprovider.kubernetes.io/uninitialized=true:NoSchedule"},
        {"{key: readiness.k8s.io/network, effect: NoExecute}", "readiness.k8s.io/network:NoExecute"},
    };

    for (size_t i = 0; i < sizeof taints / sizeof *taints; i++) {
        Stage *stage = claim_stage_registered("");
        char text[256];

        put_node_ready(stage);
        stage_put(stage, "{kind: Node, metadata: {name: node-a}, spec: {taints: [%s]}}", taints[i][0]);
        stage_run(stage, "1s");
        snprintf(text, sizeof text, "Unknown/KnownEphemeralTaintsExist: KnownEphemeralTaint \"%s\" still exists",
                 taints[i][1]);
        assert_string_equal(initialized(stage), text);
        stage_free(stage);
    }
}

TEST(other_taints_do_not_matter) {
    Stage *stage = claim_stage_initialized("taints: [{key: dedicated, effect: NoSchedule}]");

    assert_string_equal(initialized(stage), "True/Initialized");
    stage_free(stage);
}

TEST(resource_not_registered) {
    Stage *stage = claim_stage_registered("resources: {requests: {cpu: 1, nvidia.com/gpu: 1, example.com/none: 0}}");

    put_node_ready(stage);
    stage_run(stage, "1s");
    assert_string_equal(initialized(stage),
                        "Unknown/ResourceNotRegistered: Resource \"nvidia.com/gpu\" was requested but not registered");
    stage_put(stage, "{kind: Node, metadata: {name: node-a}, status: {allocatable: {nvidia.com/gpu: 1}}}");
    stage_run(stage, "1s");
    assert_string_equal(initialized(stage), "True/Initialized");
    stage_free(stage);
}

// The one that was initialized would be lost among them.
TEST(two_nodes_with_one_provider_id_are_none) {
    Stage *stage = claim_stage_registered("");

    stage_put(stage, "{kind: Node, metadata: {name: twin}, spec: {providerID: 'kwok://a'}}");
    put_node_ready(stage);
    stage_run(stage, "1s");
    assert_string_equal(initialized(stage), "Unknown/NodeNotFound: Node not registered with cluster");
    stage_remove(stage, KUBE_NODE, "twin");
    stage_run(stage, "1s");
    assert_string_equal(initialized(stage), "True/Initialized");
    stage_free(stage);
}

// changes.md 2: a later Karpenter, whose cluster tenon took over, was at it.
TEST(a_node_that_is_rebooted_is_left_until_it_is_done) {
    Stage *stage = claim_stage_registered("");

    stage_put(stage, "{kind: NodeClaim, metadata: {name: a}, status: {conditions: [Launched, Registered, "
                     "Initialized=Unknown/Rebooting, Rebooting=True/RebootIssued]}}");
    put_node_ready(stage);
    stage_run(stage, "1m");
    assert_string_equal(initialized(stage), "Unknown/Rebooting");
    stage_put(stage, "{kind: NodeClaim, metadata: {name: a}, status: {conditions: [Launched, Registered, "
                     "Initialized=Unknown/Rebooting, Rebooting=False/RebootSucceeded]}}");
    stage_run(stage, "1s");
    assert_string_equal(initialized(stage), "True/Initialized");
    stage_free(stage);
}

// The label is written before the condition; a process that dies in between does both again.
TEST(killed_between_label_and_condition) {
    Stage *stage = claim_stage_registered("");

    put_node_ready(stage);
    stage_die_after(stage, 1);
    stage_reconcile(stage, "a");
    stage_carry_out(stage);
    assert_string_equal(stage_part(stage, KUBE_NODE, "node-a", "metadata.labels.'karpenter.sh/initialized'"),
                        "\"true\"");
    assert_says(initialized(stage), "Unknown");
    stage_restart(stage);
    assert_does_not_say(stage_run(stage, "1s"), "patch node/node-a");
    assert_string_equal(initialized(stage), "True/Initialized");
    stage_free(stage);
}

TEST(all_gates_open) {
    Stage *stage = claim_stage_registered("resources: {requests: {cpu: 1}}");
    const char *history;

    put_node_ready(stage);
    history = stage_run(stage, "1s");
    assert_string_equal(initialized(stage), "True/Initialized");
    assert_string_equal(stage_condition(stage, KUBE_NODE_CLAIM, "a", "Ready"), "True/Ready");
    assert_string_equal(stage_part(stage, KUBE_NODE, "node-a", "metadata.labels.'karpenter.sh/initialized'"),
                        "\"true\"");
    assert_int_equal(stage_times(history, "log info initialized nodeclaim NodeClaim=a provider-id=kwok://a "
                                          "Node=node-a allocatable={\"cpu\":\"4\",\"memory\":\"16Gi\","
                                          "\"pods\":\"110\"}"),
                     1);
    stage_free(stage);
}

TEST(initialized_stays) {
    Stage *stage = claim_stage_initialized("");

    stage_put(stage, "{kind: Node, metadata: {name: node-a}, status: {conditions: [Ready=False/KubeletNotReady]}}");
    assert_string_equal(stage_run(stage, "1h"), "");
    assert_string_equal(initialized(stage), "True/Initialized");
    stage_free(stage);
}

TEST(there_is_no_initialization_timeout) {
    Stage *stage = claim_stage_registered("");

    assert_string_equal(stage_run(stage, "48h"), "");
    assert_true(stage_has(stage, KUBE_NODE_CLAIM, "a"));
    stage_free(stage);
}
