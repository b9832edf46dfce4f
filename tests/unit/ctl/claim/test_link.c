// What nodeclaim.lifecycle does with the claims of machine.link. Reference legacy.md 4. That these are made is shown by
// tests/scenario/legacy/nodes-without-machines.yaml.
#include "ctl/support/claim_env.h"

#define OLD_NODE                                                                                                       \
    "{kind: Node, metadata: {name: old, labels: {karpenter.sh/nodepool: default, "                                     \
    "karpenter.sh/provisioner-name: default, team: web}}, spec: {providerID: 'kwok://old', taints: [{key: busy, "      \
    "effect: "                                                                                                         \
    "NoSchedule}]}, status: {conditions: [Ready], capacity: {cpu: '4', memory: 8Gi, pods: '20'}, allocatable: {cpu: "  \
    "'4', memory: 8Gi, pods: '20'}}}"

static void put_linked(TestEnv *env) {
    env_put(env, "{kind: NodeClaim, metadata: {name: a, labels: {karpenter.sh/nodepool: default, team: new}, "
                 "annotations: {karpenter.sh/linked: 'kwok://old'}}, spec: {startupTaints: [{key: starting, effect: "
                 "NoSchedule}]}}");
}

TEST(a_linked_claim_has_its_instance_and_launches_none) {
    TestEnv *env = claim_env();
    const char *history;

    env_add_instance(env, "kwok://old");
    env_instance(env, "kwok://old")->pool = "default";
    env_put(env, OLD_NODE);
    put_named_node_ready(env, "old");
    put_linked(env);
    history = env_run(env, "1m");
    assert_does_not_say(history, "s launch ");
    assert_does_not_say(history, "UnregisteredTaintMissing");
    assert_int_equal(env_instances_alive(env), 1);
    assert_string_equal(env_part(env, KUBE_NODE_CLAIM, "a", "status.providerID"), "\"kwok://old\"");
    assert_string_equal(env_part(env, KUBE_NODE_CLAIM, "a", "status.capacity.cpu"), "\"4\"");
    assert_string_equal(env_part(env, KUBE_NODE, "old", "metadata.labels.team"), "\"web\""); // not the claim's
    assert_string_equal(env_condition(env, KUBE_NODE_CLAIM, "a", "Initialized"), "True/Initialized");
    assert_string_equal(env_part(env, KUBE_NODE, "old", "spec.taints"),
                        "[{\"key\":\"busy\",\"effect\":\"NoSchedule\"}]");
    assert_string_equal(env_part(env, KUBE_NODE, "old", "metadata.finalizers"), "[\"karpenter.sh/termination\"]");
    env_free(env);
}

// Whoever may write a Node may write another instance's id into it, and with that have it deleted.
TEST(an_instance_of_another_provisioner_links_nothing) {
    static const char *const pools[] = {NULL, "other"};

    for (int i = 0; i < 2; i++) {
        TestEnv *env = claim_env();

        env_add_instance(env, "kwok://old");
        env_instance(env, "kwok://old")->pool = pools[i];
        env_put(env, OLD_NODE);
        put_linked(env);
        assert_says(env_run(env, "1m"), "by the tags of the instance, it is not of this Provisioner");
        env_run(env, "10m");
        assert_false(env_has(env, KUBE_NODE_CLAIM, "a"));
        assert_int_equal(env_instances_alive(env), 1);
        env_free(env);
    }
}

TEST(an_instance_that_is_gone_links_nothing) {
    TestEnv *env = claim_env();
    const char *history;

    put_linked(env);
    history = env_run(env, "1m");
    assert_does_not_say(history, "s launch ");
    assert_says(history, "Launched=Unknown/LinkFailed");
    assert_true(env_times(history, "get-instance") < 10); // with back-off
    env_run(env, "10m");
    assert_false(env_has(env, KUBE_NODE_CLAIM, "a"));
    assert_int_equal(env_instances_alive(env), 0);
    env_free(env);
}
