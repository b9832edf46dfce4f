// nodeclaim.hydration: the NodeClass label of reference lifecycle.md 0.1 on claims that lack it.
#include "ctl/claim/hydration.h"
#include "ctl/support/stage.h"

#define LABEL "metadata.labels.'karpenter.kwok.sh/kwoknodeclass'"

TEST(a_claim_without_the_label_gets_it) {
    Stage *stage = stage_new(&claim_hydration_controller, NULL);

    stage_put(stage, "{kind: NodeClaim, metadata: {name: a, labels: {team: shop}}}");
    assert_string_equal(
        stage_run(stage, "1h"),
        "+0s patch nodeclaim/a {\"metadata\":{\"labels\":{\"karpenter.kwok.sh/kwoknodeclass\":\"default\"}}}\n");
    assert_string_equal(stage_part(stage, KUBE_NODE_CLAIM, "a", LABEL), "\"default\"");
    assert_string_equal(stage_part(stage, KUBE_NODE_CLAIM, "a", "metadata.labels.team"), "\"shop\"");
    stage_free(stage);
}

TEST(a_claim_with_the_label_is_left_alone) {
    Stage *stage = stage_new(&claim_hydration_controller, NULL);

    stage_put(stage, "{kind: NodeClaim, metadata: {name: a, labels: {karpenter.kwok.sh/kwoknodeclass: default}}}");
    assert_string_equal(stage_run(stage, "1h"), "");
    stage_free(stage);
}

TEST(a_wrong_label_is_put_right) {
    Stage *stage = stage_new(&claim_hydration_controller, NULL);

    stage_put(stage, "{kind: NodeClaim, metadata: {name: a, labels: {karpenter.kwok.sh/kwoknodeclass: old}}}");
    stage_run(stage, "0s");
    assert_string_equal(stage_part(stage, KUBE_NODE_CLAIM, "a", LABEL), "\"default\"");
    stage_put(stage, "{kind: NodeClaim, metadata: {name: a, labels: {karpenter.kwok.sh/kwoknodeclass: null}}}");
    stage_run(stage, "0s");
    assert_string_equal(stage_part(stage, KUBE_NODE_CLAIM, "a", LABEL), "\"default\"");
    stage_free(stage);
}

TEST(a_claim_of_another_provider_is_left_alone) {
    Stage *stage = stage_new(&claim_hydration_controller, NULL);

    stage_put(stage, "{kind: NodeClaim, metadata: {name: a}, spec: {nodeClassRef: {group: karpenter.k8s.aws, kind: "
                     "EC2NodeClass, name: default}}}");
    assert_string_equal(stage_run(stage, "1h"), "");
    stage_free(stage);
}

TEST(a_failed_write_is_tried_again) {
    Stage *stage = stage_new(&claim_hydration_controller, NULL);
    const char *history;

    stage_break(stage, INTENT_PATCH, 2, ERR_IO, "etcd is away");
    stage_put(stage, "{kind: NodeClaim, metadata: {name: a}}");
    history = stage_run(stage, "1s");
    assert_says(history, "+0s patch");
    assert_says(history, "+100ms patch");
    assert_says(history, "+300ms patch");
    assert_string_equal(stage_part(stage, KUBE_NODE_CLAIM, "a", LABEL), "\"default\"");
    stage_free(stage);
}
