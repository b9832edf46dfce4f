// nodeclaim.lifecycle, initialization: each gate of reference lifecycle.md 2.5.
#include "ctl/support/claim_stage.h"

static const char *initialized(Stage *stage) {
    return stage_condition(stage, KUBE_NODE_CLAIM, "a", "Initialized");
}

// --- gates, in their order

static void nothing_is_said_before_the_registration(void **state) {
    Stage *stage = claim_stage_launched("");

    (void)state;
    assert_string_equal(initialized(stage), "Unknown/AwaitingReconciliation: object is awaiting reconciliation");
    stage_free(stage);
}

static void node_not_found(void **state) {
    Stage *stage = claim_stage_registered("");

    (void)state;
    stage_remove(stage, KUBE_NODE, "node-a");
    stage_run(stage, "1s");
    assert_string_equal(initialized(stage), "Unknown/NodeNotFound: Node not registered with cluster");
    stage_free(stage);
}

static void node_not_ready(void **state) {
    Stage *stage = claim_stage_registered("");

    (void)state;
    assert_string_equal(initialized(stage), "Unknown/NodeNotReady: Node status is NotReady");
    stage_free(stage);
}

static void startup_taints_exist(void **state) {
    Stage *stage = claim_stage_registered("startupTaints: [{key: cilium, value: boot, effect: NoExecute}]");

    (void)state;
    put_node_ready(stage);
    stage_run(stage, "1s");
    assert_string_equal(initialized(stage),
                        "Unknown/StartupTaintsExist: StartupTaint \"cilium=boot:NoExecute\" still exists");
    stage_put(stage, "{kind: Node, metadata: {name: node-a}, spec: {taints: null}}");
    stage_run(stage, "1s");
    assert_string_equal(initialized(stage), "True/Initialized");
    stage_free(stage);
}

static void known_ephemeral_taints_exist(void **state) {
    static const char *const taints[][2] = {
        {"{key: node.kubernetes.io/not-ready, effect: NoSchedule}", "node.kubernetes.io/not-ready:NoSchedule"},
        {"{key: node.kubernetes.io/not-ready, effect: NoExecute}", "node.kubernetes.io/not-ready:NoExecute"},
        {"{key: node.kubernetes.io/unreachable, effect: NoSchedule}", "node.kubernetes.io/unreachable:NoSchedule"},
        {"{key: node.cloudprovider.kubernetes.io/uninitialized, value: 'true', effect: NoSchedule}",
         "node.cloudprovider.kubernetes.io/uninitialized=true:NoSchedule"},
        {"{key: readiness.k8s.io/network, effect: NoExecute}", "readiness.k8s.io/network:NoExecute"},
    };

    (void)state;
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

static void other_taints_do_not_matter(void **state) {
    Stage *stage = claim_stage_initialized("taints: [{key: dedicated, effect: NoSchedule}]");

    (void)state;
    assert_string_equal(initialized(stage), "True/Initialized");
    stage_free(stage);
}

static void resource_not_registered(void **state) {
    Stage *stage = claim_stage_registered("resources: {requests: {cpu: 1, nvidia.com/gpu: 1, example.com/none: 0}}");

    (void)state;
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
static void two_nodes_with_one_provider_id_are_none(void **state) {
    Stage *stage = claim_stage_registered("");

    (void)state;
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
static void a_node_that_is_rebooted_is_left_until_it_is_done(void **state) {
    Stage *stage = claim_stage_registered("");

    (void)state;
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
static void killed_between_label_and_condition(void **state) {
    Stage *stage = claim_stage_registered("");

    (void)state;
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

static void all_gates_open(void **state) {
    Stage *stage = claim_stage_registered("resources: {requests: {cpu: 1}}");
    const char *history;

    (void)state;
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

static void initialized_stays(void **state) {
    Stage *stage = claim_stage_initialized("");

    (void)state;
    stage_put(stage, "{kind: Node, metadata: {name: node-a}, status: {conditions: [Ready=False/KubeletNotReady]}}");
    assert_string_equal(stage_run(stage, "1h"), "");
    assert_string_equal(initialized(stage), "True/Initialized");
    stage_free(stage);
}

static void there_is_no_initialization_timeout(void **state) {
    Stage *stage = claim_stage_registered("");

    (void)state;
    assert_string_equal(stage_run(stage, "48h"), "");
    assert_true(stage_has(stage, KUBE_NODE_CLAIM, "a"));
    stage_free(stage);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_said_before_the_registration),
        cmocka_unit_test(node_not_found),
        cmocka_unit_test(node_not_ready),
        cmocka_unit_test(startup_taints_exist),
        cmocka_unit_test(known_ephemeral_taints_exist),
        cmocka_unit_test(other_taints_do_not_matter),
        cmocka_unit_test(resource_not_registered),
        cmocka_unit_test(two_nodes_with_one_provider_id_are_none),
        cmocka_unit_test(a_node_that_is_rebooted_is_left_until_it_is_done),
        cmocka_unit_test(killed_between_label_and_condition),
        cmocka_unit_test(all_gates_open),
        cmocka_unit_test(initialized_stays),
        cmocka_unit_test(there_is_no_initialization_timeout),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
