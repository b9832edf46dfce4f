// nodeclaim.lifecycle, initialization: each gate of reference lifecycle.md 2.5.
#include "ctl/support/claim_env.h"

static const char *initialized(TestEnv *env) {
    return env_condition(env, KUBE_NODE_CLAIM, "a", "Initialized");
}

// --- gates, in their order

TEST(nothing_is_said_before_the_registration) {
    TestEnv *env = claim_env_launched("");

    assert_string_equal(initialized(env), "Unknown/AwaitingReconciliation: object is awaiting reconciliation");
    env_free(env);
}

TEST(node_not_found) {
    TestEnv *env = claim_env_registered("");

    env_remove(env, KUBE_NODE, "node-a");
    env_run(env, "1s");
    assert_string_equal(initialized(env), "Unknown/NodeNotFound: Node not registered with cluster");
    env_free(env);
}

TEST(node_not_ready) {
    TestEnv *env = claim_env_registered("");

    assert_string_equal(initialized(env), "Unknown/NodeNotReady: Node status is NotReady");
    env_free(env);
}

TEST(startup_taints_exist) {
    TestEnv *env = claim_env_registered("startupTaints: [{key: cilium, value: boot, effect: NoExecute}]");

    put_node_ready(env);
    env_run(env, "1s");
    assert_string_equal(initialized(env),
                        "Unknown/StartupTaintsExist: StartupTaint \"cilium=boot:NoExecute\" still exists");
    env_put(env, "{kind: Node, metadata: {name: node-a}, spec: {taints: null}}");
    env_run(env, "1s");
    assert_string_equal(initialized(env), "True/Initialized");
    env_free(env);
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
        TestEnv *env = claim_env_registered("");
        char text[256];

        put_node_ready(env);
        env_put(env, "{kind: Node, metadata: {name: node-a}, spec: {taints: [%s]}}", taints[i][0]);
        env_run(env, "1s");
        snprintf(text, sizeof text, "Unknown/KnownEphemeralTaintsExist: KnownEphemeralTaint \"%s\" still exists",
                 taints[i][1]);
        assert_string_equal(initialized(env), text);
        env_free(env);
    }
}

TEST(other_taints_do_not_matter) {
    TestEnv *env = claim_env_initialized("taints: [{key: dedicated, effect: NoSchedule}]");

    assert_string_equal(initialized(env), "True/Initialized");
    env_free(env);
}

TEST(resource_not_registered) {
    TestEnv *env = claim_env_registered("resources: {requests: {cpu: 1, nvidia.com/gpu: 1, example.com/none: 0}}");

    put_node_ready(env);
    env_run(env, "1s");
    assert_string_equal(initialized(env),
                        "Unknown/ResourceNotRegistered: Resource \"nvidia.com/gpu\" was requested but not registered");
    env_put(env, "{kind: Node, metadata: {name: node-a}, status: {allocatable: {nvidia.com/gpu: 1}}}");
    env_run(env, "1s");
    assert_string_equal(initialized(env), "True/Initialized");
    env_free(env);
}

// With two Nodes it is not clear which one to initialize.
TEST(two_nodes_with_one_provider_id_are_none) {
    TestEnv *env = claim_env_registered("");

    env_put(env, "{kind: Node, metadata: {name: twin}, spec: {providerID: 'kwok://a'}}");
    put_node_ready(env);
    env_run(env, "1s");
    assert_string_equal(initialized(env), "Unknown/NodeNotFound: Node not registered with cluster");
    env_remove(env, KUBE_NODE, "twin");
    env_run(env, "1s");
    assert_string_equal(initialized(env), "True/Initialized");
    env_free(env);
}

// changes.md 2: the reboot was started by a later Karpenter, whose cluster tenon took over.
TEST(a_node_that_is_rebooted_is_left_until_it_is_done) {
    TestEnv *env = claim_env_registered("");

    env_put(env, "{kind: NodeClaim, metadata: {name: a}, status: {conditions: [Launched, Registered, "
                 "Initialized=Unknown/Rebooting, Rebooting=True/RebootIssued]}}");
    put_node_ready(env);
    env_run(env, "1m");
    assert_string_equal(initialized(env), "Unknown/Rebooting");
    env_put(env, "{kind: NodeClaim, metadata: {name: a}, status: {conditions: [Launched, Registered, "
                 "Initialized=Unknown/Rebooting, Rebooting=False/RebootSucceeded]}}");
    env_run(env, "1s");
    assert_string_equal(initialized(env), "True/Initialized");
    env_free(env);
}

// The label is written before the condition; a process that dies in between does both again.
TEST(killed_between_label_and_condition) {
    TestEnv *env = claim_env_registered("");

    put_node_ready(env);
    env_die_after(env, 1);
    env_reconcile(env, "a");
    env_carry_out(env);
    assert_string_equal(env_part(env, KUBE_NODE, "node-a", "metadata.labels.'karpenter.sh/initialized'"), "\"true\"");
    assert_says(initialized(env), "Unknown");
    env_restart(env);
    assert_does_not_say(env_run(env, "1s"), "patch node/node-a");
    assert_string_equal(initialized(env), "True/Initialized");
    env_free(env);
}

TEST(all_gates_open) {
    TestEnv *env = claim_env_registered("resources: {requests: {cpu: 1}}");
    const char *history;

    put_node_ready(env);
    history = env_run(env, "1s");
    assert_string_equal(initialized(env), "True/Initialized");
    assert_string_equal(env_condition(env, KUBE_NODE_CLAIM, "a", "Ready"), "True/Ready");
    assert_string_equal(env_part(env, KUBE_NODE, "node-a", "metadata.labels.'karpenter.sh/initialized'"), "\"true\"");
    assert_int_equal(env_times(history, "log info initialized nodeclaim NodeClaim=a provider-id=kwok://a "
                                        "Node=node-a allocatable={\"cpu\":\"4\",\"memory\":\"16Gi\","
                                        "\"pods\":\"110\"}"),
                     1);
    env_free(env);
}

TEST(initialized_stays) {
    TestEnv *env = claim_env_initialized("");

    env_put(env, "{kind: Node, metadata: {name: node-a}, status: {conditions: [Ready=False/KubeletNotReady]}}");
    assert_string_equal(env_run(env, "1h"), "");
    assert_string_equal(initialized(env), "True/Initialized");
    env_free(env);
}

TEST(there_is_no_initialization_timeout) {
    TestEnv *env = claim_env_registered("");

    assert_string_equal(env_run(env, "48h"), "");
    assert_true(env_has(env, KUBE_NODE_CLAIM, "a"));
    env_free(env);
}
