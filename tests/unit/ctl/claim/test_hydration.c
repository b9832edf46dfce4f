// nodeclaim.hydration: the NodeClass label of reference lifecycle.md 0.1 on claims that lack it.
#include "ctl/claim/hydration.h"
#include "ctl/support/env.h"

#define LABEL "metadata.labels.'karpenter.kwok.sh/kwoknodeclass'"

TEST(a_claim_without_the_label_gets_it) {
    TestEnv *env = env_new(&claim_hydration_controller, NULL);

    env_put(env, "{kind: NodeClaim, metadata: {name: a, labels: {team: shop}}}");
    assert_string_equal(
        env_run(env, "1h"),
        "+0s patch nodeclaim/a {\"metadata\":{\"labels\":{\"karpenter.kwok.sh/kwoknodeclass\":\"default\"}}}\n");
    assert_string_equal(env_part(env, KUBE_NODE_CLAIM, "a", LABEL), "\"default\"");
    assert_string_equal(env_part(env, KUBE_NODE_CLAIM, "a", "metadata.labels.team"), "\"shop\"");
    env_free(env);
}

TEST(a_claim_with_the_label_is_left_alone) {
    TestEnv *env = env_new(&claim_hydration_controller, NULL);

    env_put(env, "{kind: NodeClaim, metadata: {name: a, labels: {karpenter.kwok.sh/kwoknodeclass: default}}}");
    assert_string_equal(env_run(env, "1h"), "");
    env_free(env);
}

TEST(a_wrong_label_is_put_right) {
    TestEnv *env = env_new(&claim_hydration_controller, NULL);

    env_put(env, "{kind: NodeClaim, metadata: {name: a, labels: {karpenter.kwok.sh/kwoknodeclass: old}}}");
    env_run(env, "0s");
    assert_string_equal(env_part(env, KUBE_NODE_CLAIM, "a", LABEL), "\"default\"");
    env_put(env, "{kind: NodeClaim, metadata: {name: a, labels: {karpenter.kwok.sh/kwoknodeclass: null}}}");
    env_run(env, "0s");
    assert_string_equal(env_part(env, KUBE_NODE_CLAIM, "a", LABEL), "\"default\"");
    env_free(env);
}

TEST(a_claim_of_another_provider_is_left_alone) {
    TestEnv *env = env_new(&claim_hydration_controller, NULL);

    env_put(env, "{kind: NodeClaim, metadata: {name: a}, spec: {nodeClassRef: {group: karpenter.k8s.aws, kind: "
                 "EC2NodeClass, name: default}}}");
    assert_string_equal(env_run(env, "1h"), "");
    env_free(env);
}

TEST(a_failed_write_is_tried_again) {
    TestEnv *env = env_new(&claim_hydration_controller, NULL);
    const char *history;

    env_break(env, INTENT_PATCH, 2, ERR_IO, "etcd is away");
    env_put(env, "{kind: NodeClaim, metadata: {name: a}}");
    history = env_run(env, "1s");
    assert_says(history, "+0s patch");
    assert_says(history, "+100ms patch");
    assert_says(history, "+300ms patch");
    assert_string_equal(env_part(env, KUBE_NODE_CLAIM, "a", LABEL), "\"default\"");
    env_free(env);
}
