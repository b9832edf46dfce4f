// node.hydration: the label of the NodeClass on Nodes that lack it. Reference lifecycle.md 0.1, 1.
#include "ctl/node/hydration.h"
#include "ctl/node_env.h"

#define LABEL "metadata.labels.'karpenter.kwok.sh/kwoknodeclass'"

static TestEnv *without_label(void) {
    TestEnv *env = node_env(&node_hydration_controller, NULL);

    env_put(env, "{kind: Node, metadata: {name: n1, labels: {karpenter.kwok.sh/kwoknodeclass: null}}}");
    return env;
}

TEST(label_comes_from_the_nodeclaim) {
    TestEnv *env = without_label();

    assert_string_equal(
        env_run(env, "1s"),
        "+0s patch node/n1 {\"metadata\":{\"labels\":{\"karpenter.kwok.sh/kwoknodeclass\":\"default\"}}}\n");
    assert_string_equal(env_part(env, KUBE_NODE, "n1", LABEL), "\"default\"");
    assert_string_equal(env_run(env, "1h"), "");
    env_free(env);
}

TEST(label_waits_for_the_provider_id_of_the_claim) {
    TestEnv *env = node_env(&node_hydration_controller, NULL);

    env_put(env, "{kind: Node, metadata: {name: late}, spec: {providerID: 'kwok://b'}}");
    assert_string_equal(env_run(env, "1m"), "");
    env_put(env, "{kind: NodeClaim, metadata: {name: b}, status: {providerID: 'kwok://b'}}");
    assert_says(env_run(env, "0s"), "patch node/late");
    env_free(env);
}

TEST(nodes_without_a_pool_and_of_other_providers_get_none) {
    TestEnv *env = node_env(&node_hydration_controller, NULL);

    env_put(env, "{kind: Node, metadata: {name: alone}, spec: {providerID: 'kwok://alone'}}\n---\n"
                 "{kind: Node, metadata: {name: nameless}}\n---\n"
                 "{kind: Node, metadata: {name: other}, spec: {providerID: 'kwok://other'}}\n---\n"
                 "{kind: NodeClaim, metadata: {name: other}, spec: {nodeClassRef: {group: karpenter.k8s.aws, kind: "
                 "EC2NodeClass, name: x}}, status: {providerID: 'kwok://other'}}");
    assert_string_equal(env_run(env, "1m"), "");
    env_free(env);
}

TEST(a_patch_that_fails_is_tried_again) {
    TestEnv *env = without_label();

    env_break(env, INTENT_PATCH, 2, ERR_TIMEOUT, "late");
    env_run(env, "1m");
    assert_string_equal(env_part(env, KUBE_NODE, "n1", LABEL), "\"default\"");
    env_free(env);
}
